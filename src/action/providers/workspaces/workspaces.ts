import { posix } from "node:path";
import { type GitEnvironment, gitItems, gitLine, readFiles, scanTree } from "../../git/git.ts";
import { StepError } from "../../step.ts";
import { compileGlobs, includes } from "../../targets/globs.ts";
import { askSides, targetsByPackages, type Workspace } from "../package-graph.ts";
import type { Change, Impact } from "../provider.ts";
import { readLinks } from "../repository-paths.ts";
import {
  linkedFolders,
  type Manifest,
  PackageNames,
  type PnpmSettings,
  packagesOf,
  replacements,
  workspaceGlobs,
} from "./packages.ts";

/** The packages of an npm, Yarn or pnpm workspace that changed, and those that depend on them. */
export async function targetsByWorkspaces(tool: NodeTool, change: Change): Promise<Impact> {
  const sides = await askSides(change, (sha) => readWorkspace(tool, change.git, sha));
  if (sides.head.packages.every(({ isTarget }) => !isTarget)) {
    const where = tool === "pnpm" ? "`packages` of pnpm-workspace.yaml" : "`workspaces` of package.json";
    throw new StepError(
      "There is no workspace",
      `Nothing tracked by git matches ${where}. Use another provider.`,
    );
  }
  return targetsByPackages(sides, change);
}

/**
 * Reads a workspace at a commit from its package.json files: all releases of these tools define their workspace there, and none has
 * to be installed or run. Packages that are no members are included, because members may depend on them by path.
 */
export async function readWorkspace(tool: NodeTool, git: GitEnvironment, sha: string): Promise<Workspace> {
  const prefix = (await gitLine(git, "rev-parse", "--show-prefix")) ?? "";
  const settingsFile = `${prefix}pnpm-workspace.yaml`;
  const isManifest = (path: string) =>
    posix.basename(path) === "package.json" && !/(^|\/)node_modules\//.test(path);
  const tree = await scanTree(
    git,
    sha,
    (path) => path === settingsFile || (path.startsWith(prefix) && isManifest(path)),
  );
  const link = tree.symlinks.find(({ path }) => path.startsWith(prefix) && isManifest(path));
  if (link !== undefined) {
    throw new StepError(
      "A package.json cannot be read",
      `${link.path} is a symbolic link. Replace it with a file.`,
    );
  }
  const manifests = new Map<string, Manifest>();
  let settings: PnpmSettings = {};
  for (const { path, text } of await readFiles(git, tree.files)) {
    if (path === settingsFile) settings = await parseSettings(text);
    else manifests.set(posix.relative(prefix || ".", posix.dirname(path)) || ".", parseManifest(path, text));
  }
  const root = manifests.get(".") ?? {};
  const globs = tool === "pnpm" ? (settings.packages ?? []) : workspaceGlobs(root);
  const links = await readLinks(git, tree.symlinks);
  const linked = linkedFolders(links, manifests, prefix);
  const members = memberFolders(tool, globs.map(String), manifests, linked);
  const names = new PackageNames(manifests);
  return {
    packages: packagesOf(manifests, members, names, prefix),
    inputs: [],
    neededByAll: replacements({ root, settings }, names),
    links,
  };
}

/** The tool whose rules define the members of a workspace at a commit. pnpm has a file for them, and Yarn has more members than npm. */
export async function nodeToolAt(git: GitEnvironment, sha: string): Promise<NodeTool> {
  const names = new Set<string>();
  for await (const paths of gitItems(git, "\0", "ls-tree", "-z", "--name-only", sha))
    for (const path of paths) names.add(path);
  if (names.has("pnpm-workspace.yaml")) return "pnpm";
  return names.has("yarn.lock") ? "yarn" : "npm";
}

async function parseSettings(text: string): Promise<PnpmSettings> {
  const { parse } = await import("yaml");
  const settings = Object(parse(text)) as PnpmSettings;
  return { ...settings, packages: Array.isArray(settings.packages) ? settings.packages : [] };
}

function parseManifest(path: string, text: string): Manifest {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StepError("A package.json cannot be read", `${path} is not JSON: ${error}. Fix it.`);
  }
}

type NodeTool = "npm" | "pnpm" | "yarn";

/**
 * The folders that the globs include and do not exclude. A later glob overrides an earlier one.
 *
 * @param folders folders with a package.json, relative to the folder that defines the globs.
 */
function foldersMatching(globs: readonly string[], folders: readonly string[]): string[] {
  const patterns = compileGlobs(globs.map((glob) => glob.replace(/\/+$/, "")));
  return folders.filter((folder) => includes(patterns, folder));
}

/**
 * The folders of a workspace's packages. A member of a Yarn workspace may have workspaces of its own.
 *
 * @param linked maps links to the folders that they lead to, because globs match links, too.
 */
function memberFolders(
  tool: NodeTool,
  globs: readonly string[],
  manifests: ReadonlyMap<string, Manifest>,
  linked: ReadonlyMap<string, string>,
): Set<string> {
  const folders = [...manifests.keys()];
  const members = new Set(
    foldersMatching(globs, [...folders, ...linked.keys()]).map((folder) => linked.get(folder) ?? folder),
  );
  if (tool !== "yarn") return members;
  // Iterating over a set also visits items that are added meanwhile.
  for (const member of members) {
    const inner = workspaceGlobs(manifests.get(member) ?? {});
    if (inner.length === 0 || member === ".") continue;
    const below = folders.flatMap((folder) =>
      folder.startsWith(`${member}/`) ? [posix.relative(member, folder)] : [],
    );
    for (const folder of foldersMatching(inner, below)) members.add(posix.join(member, folder));
  }
  return members;
}
