import { posix } from "node:path";
import { readBlobs } from "../../git/blobs.ts";
import { type GitEnvironment, gitItems, gitLine } from "../../git/git.ts";
import { scanTree } from "../../git/tree.ts";
import { StepError } from "../../step-error.ts";
import { readLinks } from "../file-links.ts";
import { askBothSides, type Package, targetsByPackages, type Workspace } from "../package-graph.ts";
import type { Change, Impact } from "../provider.ts";
import { foldersAbove } from "../repository-folder.ts";
import { aimsOf, dependenciesOf, type Manifest, textsIn, workspaceGlobs } from "./manifest.ts";
import { memberFolders, type NodeTool } from "./members.ts";
import { PackageNames } from "./package-names.ts";

/** The packages of an npm, Yarn or pnpm workspace that changed, and those that need them. */
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
 * A workspace at a commit, by its package.json files: every one of these tools, in every release, takes its workspace from there, and
 * none has to be installed or run. What is no member counts, too, for members may need it by its path.
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
  const texts = await readBlobs(
    git,
    tree.files.map((file) => file.sha),
  );
  const manifests = new Map<string, Manifest>();
  let settings: PnpmSettings = {};
  for (const { path, sha: id } of tree.files) {
    const text = texts.get(id) ?? "";
    if (path === settingsFile) settings = await parseSettings(text);
    else manifests.set(posix.relative(prefix || ".", posix.dirname(path)) || ".", parseManifest(path, text));
  }
  const root = manifests.get(".") ?? {};
  const globs = tool === "pnpm" ? (settings.packages ?? []) : workspaceGlobs(root);
  const members = memberFolders(tool, globs.map(String), manifests);
  const names = new PackageNames(manifests);
  return {
    packages: packagesOf(manifests, members, names, prefix),
    inputs: [],
    neededByAll: replacements({ root, settings }, names),
    links: await readLinks(git, tree.symlinks),
  };
}

/** The tool by whose rules a workspace at a commit is read: pnpm's has a file of its own, and Yarn's has more members than npm's. */
export async function nodeToolAt(git: GitEnvironment, sha: string): Promise<NodeTool> {
  const names = new Set<string>();
  for await (const paths of gitItems(git, "\0", "ls-tree", "-z", "--name-only", sha))
    for (const path of paths) names.add(path);
  if (names.has("pnpm-workspace.yaml")) return "pnpm";
  return names.has("yarn.lock") ? "yarn" : "npm";
}

interface PnpmSettings {
  readonly packages?: readonly unknown[];
  readonly overrides?: unknown;
  readonly catalog?: unknown;
  readonly catalogs?: unknown;
}

async function parseSettings(text: string): Promise<PnpmSettings> {
  const { parse } = await import("yaml");
  const settings = Object(parse(text)) as PnpmSettings;
  return { ...settings, packages: Array.isArray(settings.packages) ? settings.packages : [] };
}

function packagesOf(
  manifests: ReadonlyMap<string, Manifest>,
  members: ReadonlySet<string>,
  names: PackageNames,
  prefix: string,
): Package[] {
  const needs = new Map(
    [...manifests].map(([folder, manifest]) => [folder, names.all(dependenciesOf(manifest, folder))]),
  );
  const needed = new Set([...needs.values()].flat());
  // A package.json without a name mostly just says how a folder's modules are written.
  const packages = [...manifests].filter(
    ([folder, { name }]) => name !== undefined || members.has(folder) || needed.has(names.of(folder)),
  );
  const containers = foldersAbove(
    packages.flatMap(([folder]) => (members.has(folder) || needed.has(names.of(folder)) ? [folder] : [])),
  );
  return packages.map(([folder]) => {
    const isTarget = members.has(folder);
    const isRoot = folder === ".";
    const at = isRoot ? prefix.replace(/\/$/, "") : prefix + folder;
    return {
      name: names.of(folder),
      isTarget,
      folder: at,
      ownFolders: isTarget && !isRoot && !containers.has(folder) ? [at] : [],
      ownFiles: isTarget && !isRoot ? [`${at}/package.json`] : [],
      needs: needs.get(folder) ?? [],
    };
  });
}

/** What replaces packages of any origin, so that packages from elsewhere may need it, too. */
function replacements(
  { root, settings }: { root: Manifest; settings: PnpmSettings },
  names: PackageNames,
): Set<string> {
  const { overrides, catalog, catalogs } = settings;
  const ranges = textsIn([root.overrides, root.resolutions, root.pnpm, overrides, catalog, catalogs]);
  return new Set(names.all(ranges.flatMap((range) => aimsOf(range, "."))));
}

function parseManifest(path: string, text: string): Manifest {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StepError("A package.json cannot be read", `${path} is no JSON: ${error}. Mend it.`);
  }
}
