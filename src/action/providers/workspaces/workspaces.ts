import { posix } from "node:path";
import { type GitEnvironment, gitItems, gitLine } from "../../git/git.ts";
import { readFiles } from "../../git/read-files.ts";
import { scanTree } from "../../git/tree.ts";
import { StepError } from "../../step-error.ts";
import { readLinks } from "../file-links.ts";
import { askBothSides, targetsByPackages, type Workspace } from "../package-graph.ts";
import type { Change, Impact } from "../provider.ts";
import { type Manifest, type PnpmSettings, workspaceGlobs } from "./manifest.ts";
import { memberFolders, type NodeTool } from "./members.ts";
import { PackageNames } from "./package-names.ts";
import { linkedFolders, packagesOf, replacements } from "./packages.ts";

/** The packages of an npm, Yarn or pnpm workspace that changed, and those that depend on them. */
export async function targetsByWorkspaces(tool: NodeTool, change: Change): Promise<Impact> {
  const sides = await askBothSides(change, (sha) => readWorkspace(tool, change.git, sha));
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
