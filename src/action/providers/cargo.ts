import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { jsonPrintedBy } from "../child-process.ts";
import { type ExportedTree, exportTree } from "../git/export-tree.ts";
import { type GitEnvironment, scanTree, type Tree } from "../git/git.ts";
import { globOf } from "../targets/globs.ts";
import type { PathRule } from "../targets/path-rules.ts";
import { askSides, type Package, targetsByPackages, type Workspace } from "./package-graph.ts";
import type { Change, Impact } from "./provider.ts";
import { foldersAbove, parentOf, pathWithin, readLinks } from "./repository-paths.ts";

/** The workspace's crates that changed, and those that depend on them to run, to build or to test. */
export async function targetsByCargo(change: Change): Promise<Impact> {
  return targetsByPackages(await askSides(change, (sha, side) => readWorkspace(change, sha, side)), change);
}

async function readWorkspace({ git, temporary }: Change, sha: string, side: string): Promise<Workspace> {
  await using exported = await exportTree(git, sha, temporary, side);
  const { crates, folder: top, replacements } = await loadCrates(git, exported);
  const tree = await scanTree(git, sha, (path) => basename(path) === "Cargo.toml");
  const containers = foldersAbove(crates.map(({ folder }) => folder));
  // A crate at the top of the workspace does not own the files there: other crates may use them.
  if (crates.length > 1) containers.add(top);
  return {
    packages: [...crates.map((crate) => packageOf(crate, containers, top)), ...strangers(tree, crates)],
    inputs: crates.flatMap(outerSources),
    neededByAll: replacements,
    links: await readLinks(git, tree.symlinks),
  };
}

/** A crate owns its whole folder. If other crates lie in that folder, it owns only what is below its source folders. */
function packageOf(crate: Crate, containers: ReadonlySet<string>, top: string): Package {
  const { name, folder, needs, sources } = crate;
  const common = { name, isTarget: true, folder, needs };
  if (!containers.has(folder)) return { ...common, ownFolders: [folder], ownFiles: [] };
  const inner = sources.filter((source) => isBelow(source, folder));
  const ownFolders = new Set(
    inner.map((source) => parentOf(source) ?? "").filter((above) => above !== folder),
  );
  const manifest = folder === top ? [] : [`${folder}/Cargo.toml`];
  return { ...common, ownFolders: [...ownFolders], ownFiles: [...inner, ...manifest] };
}

/** Crates that Cargo does not list, such as crates in test data. */
function strangers({ files }: Tree, crates: readonly Crate[]): Package[] {
  const listed = new Set(crates.map(({ folder }) => folder));
  return files.flatMap(({ path }) => {
    const folder = parentOf(path) ?? "";
    if (listed.has(folder)) return [];
    return { name: `./${folder}`, isTarget: false, folder, ownFolders: [], ownFiles: [], needs: [] };
  });
}

/** The folders of a crate's sources that lie outside of its own folder. */
function outerSources({ name, folder, sources }: Crate): PathRule[] {
  return sources
    .filter((source) => !isBelow(source, folder))
    .map((source) => {
      const above = globOf(parentOf(source) ?? "");
      return { target: name, globs: [above === "" ? "**" : `${above}/**`] };
    });
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

interface Crate {
  readonly name: string;
  /** Relative to the repository's root; empty for the root. */
  readonly folder: string;
  /** The names of its dependencies of any origin: a crate from a registry may be replaced by one in this repository. */
  readonly needs: readonly string[];
  /** The root source files of its targets, relative to the repository's root. */
  readonly sources: readonly string[];
}

interface CargoWorkspace {
  readonly crates: readonly Crate[];
  readonly folder: string;
  /** The names of the crates that replace crates of any origin. */
  readonly replacements: ReadonlySet<string>;
}

/** The fields that are read from the output of `cargo metadata`, format version 1. */
interface Metadata {
  readonly workspace_root: string;
  readonly packages: readonly {
    readonly name: string;
    readonly manifest_path: string;
    /** Only dependencies in the same repository have a path. */
    readonly dependencies: readonly { readonly name: string; readonly path?: string }[];
    readonly targets: readonly { readonly src_path: string }[];
  }[];
}

/** Loads the crates of a workspace, and crates outside of it that it depends on by path or that replace others. */
async function loadCrates(git: GitEnvironment, { root, cwd }: ExportedTree): Promise<CargoWorkspace> {
  const crates = new Map<string, Crate>();
  const wanted = new Set<string>();
  const add = ({ packages }: Metadata) => {
    for (const { name, manifest_path, dependencies, targets } of packages) {
      const folder = pathWithin(root, dirname(manifest_path));
      if (folder === null) continue;
      const sources = targets
        .map(({ src_path }) => pathWithin(root, src_path))
        .filter((path) => path !== null);
      crates.set(folder, { name, folder, needs: dependencies.map((needed) => needed.name), sources });
      for (const { path } of dependencies) if (path !== undefined) wanted.add(path);
    }
  };
  const metadata = await readMetadata({ ...git, cwd });
  add(metadata);
  const replacing = await replacementFolders(metadata.workspace_root, cwd);
  for (const folder of replacing) wanted.add(folder);
  // Iterating over a set also visits items that are added meanwhile.
  for (const path of wanted) {
    const isListed = crates.has(pathWithin(root, path) ?? "/");
    if (!isListed && existsSync(join(path, "Cargo.toml"))) add(await readMetadata({ ...git, cwd }, path));
  }
  const names = replacing.flatMap((path) => crates.get(pathWithin(root, path) ?? "/")?.name ?? []);
  return {
    crates: [...crates.values()],
    folder: pathWithin(root, metadata.workspace_root) ?? "",
    replacements: new Set(names),
  };
}

async function readMetadata(git: GitEnvironment, folder?: string): Promise<Metadata> {
  const manifest = folder === undefined ? [] : [`--manifest-path=${join(folder, "Cargo.toml")}`];
  // Without external dependencies, cargo needs neither the network nor a lockfile, and runs none of their code.
  const args = ["metadata", "--format-version=1", "--no-deps", "--offline", ...manifest];
  return (await jsonPrintedBy({ ...git, file: "cargo", label: "cargo metadata", args })) as Metadata;
}

/**
 * The folders of crates that replace others in a workspace: `path` below `[patch]`, `[replace]` and `[patch.registry.name]`, in its
 * manifest and in Cargo's configuration. `cargo metadata --no-deps` does not report them. A simple line-by-line parser is enough, because a
 * superfluous path does no harm.
 */
async function replacementFolders(workspaceRoot: string, cwd: string): Promise<string[]> {
  const files = ["Cargo.toml", ".cargo/config.toml", ".cargo/config"];
  const folders = new Set<string>();
  for (const directory of new Set([workspaceRoot, cwd])) {
    for (const file of files) {
      const text = await readFile(join(directory, file), "utf8").catch(() => "");
      for (const path of pathsOfReplacements(text)) folders.add(resolve(directory, path));
    }
  }
  return [...folders];
}

function* pathsOfReplacements(text: string): Generator<string> {
  let isReplacing = false;
  for (const line of text.split("\n")) {
    if (/^\s*\[/.test(line)) isReplacing = /^\s*\[\s*["']?(patch|replace)\b/.test(line);
    if (!isReplacing && !/^\s*(patch|replace)\b/.test(line)) continue;
    for (const [, path = ""] of line.matchAll(/\bpath\s*=\s*["']([^"']+)["']/g)) yield path;
  }
}
