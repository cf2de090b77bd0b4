import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { gitItems, gitLine } from "../git/git.ts";
import { StepError } from "../step-error.ts";
import { compileGlob } from "../targets/glob.ts";
import { type Package, targetsByPackages } from "./package-graph.ts";
import type { Change, Impact } from "./provider.ts";

interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[] | { readonly packages?: readonly string[] };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * The packages of an npm, Yarn or pnpm workspace that changed, and those that need them. Read from their package.json files:
 * every one of these tools, in every release, takes its workspace from there, and none has to be installed or run.
 */
export async function targetsByWorkspaces(tool: "npm" | "pnpm" | "yarn", change: Change): Promise<Impact> {
  const globs = tool === "pnpm" ? await pnpmGlobs(change) : await manifestGlobs(change);
  const folders = await foldersOf(globs, change);
  if (folders.length === 0) {
    const where = tool === "pnpm" ? "`packages` of pnpm-workspace.yaml" : "`workspaces` of package.json";
    throw new StepError(
      "There is no workspace",
      `Nothing tracked by git matches ${where}. Use another provider.`,
    );
  }
  const manifests = await Promise.all(
    folders.map(async (folder) => ({ folder, manifest: await readManifest(change, folder) })),
  );
  const prefix = (await gitLine(change.git, "rev-parse", "--show-prefix")) ?? "";
  const names = new Map(manifests.map(({ folder, manifest }) => [folder, manifest.name ?? folder]));
  const packages = manifests.map(({ folder, manifest }): Package => {
    const needs = neededBy(manifest, folder, names);
    return { name: names.get(folder) ?? folder, folder: prefix + folder, needs };
  });
  return targetsByPackages(packages, change);
}

async function manifestGlobs(change: Change): Promise<readonly string[]> {
  const { workspaces = [] } = await readManifest(change, ".");
  return "packages" in workspaces ? (workspaces.packages ?? []) : (workspaces as readonly string[]);
}

async function pnpmGlobs({ git }: Change): Promise<readonly string[]> {
  const { parse } = await import("yaml");
  const settings: unknown = parse(await readText(join(git.cwd, "pnpm-workspace.yaml")));
  const { packages } = Object(settings) as { packages?: unknown };
  return Array.isArray(packages) ? packages.map(String) : [];
}

/** Folders with a package.json that the globs include and do not exclude; in them, a later glob goes before an earlier one. */
async function foldersOf(globs: readonly string[], { git }: Change): Promise<string[]> {
  const patterns = globs.map((glob) => ({
    isIncluded: !glob.startsWith("!"),
    pattern: compileGlob(glob.replace(/^!/, "").replace(/\/+$/, "")),
  }));
  const folders: string[] = [];
  for await (const paths of gitItems(git, "\0", "ls-files", "-z", "--", ":(glob)**/package.json")) {
    for (const path of paths) {
      const folder = posix.dirname(path);
      if (patterns.findLast(({ pattern }) => pattern.test(folder))?.isIncluded) folders.push(folder);
    }
  }
  return folders;
}

/** What a package needs of its workspace: by name, by an alias (`workspace:@acme/a@*`), or by a path (`file:../a`). */
function neededBy(manifest: Manifest, folder: string, names: ReadonlyMap<string, string>): string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  return [dependencies, devDependencies, optionalDependencies, peerDependencies]
    .flatMap((kind) => Object.entries(kind ?? {}))
    .flatMap(([name, range]) => {
      const [, alias] = /^(?:npm|workspace):((?:@[^/]+\/)?[^@/]+)@/.exec(range) ?? [];
      const [, path = ""] = /^(?:file|link|portal|workspace):(.+)$/.exec(range) ?? [];
      // From the package; that of Yarn's `workspace:` is from the top.
      const linked = [posix.join(folder, path), path].map((each) => names.get(each.replace(/\/$/, "")));
      return [name, alias, ...(path === "" ? [] : linked)].filter((needed) => needed !== undefined);
    });
}

async function readManifest({ git }: Change, folder: string): Promise<Manifest> {
  const file = join(git.cwd, folder, "package.json");
  const text = await readText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StepError("A package.json cannot be read", `${file} is no JSON: ${error}. Mend it.`);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new StepError("A file is missing", `${error}. Use another provider, or set working-directory.`);
  }
}
