import { exportTree } from "../../git/export-tree.ts";
import { type GitEnvironment, readFiles, scanTree, type TreeEntry } from "../../git/git.ts";
import { askSides, type Package, targetsByPackages, type Workspace } from "../package-graph.ts";
import type { Change, Impact } from "../provider.ts";
import { foldersAbove, parentOf, readLinks } from "../repository-paths.ts";
import { EmbedsBuiltFiles, type GoPackage, listPackages } from "./packages.ts";

/** What to do about embedded files that another step builds. */
const embedAdvice =
  "commit a placeholder that the pattern matches, and name the files that they are built from in targets-paths, with this package as a target";

/** The packages that changed, and those that import them, including imports in tests, on other platforms and behind build tags. */
export async function targetsByGo(change: Change): Promise<Impact> {
  try {
    return await targetsByPackages(
      await askSides(change, (sha, side) => readWorkspace(change, sha, side)),
      change,
    );
  } catch (error) {
    if (!(error instanceof EmbedsBuiltFiles)) throw error;
    return { all: true, because: `${error.message}; ${embedAdvice}` };
  }
}

async function readWorkspace({ git, temporary }: Change, sha: string, side: string): Promise<Workspace> {
  await using exported = await exportTree(git, sha, temporary, side);
  const tree = await scanTree(git, sha, (path) => path.endsWith(".go") || isModuleFile(path));
  const sources = tree.files.filter(({ path }) => !isModuleFile(path));
  const folders = new Set(sources.map(({ path }) => parentOf(path) ?? ""));
  const modules = await localModules(git, tree.files);
  const packages = await listPackages(git, exported, [...folders].filter(isSeenByGo), modules);
  const containers = foldersAbove(packages.map(({ folder }) => folder));
  return {
    packages: packages.map((one) => packageOf(one, containers)),
    inputs: [],
    neededByAll: new Set(),
    links: await readLinks(git, tree.symlinks),
  };
}

/**
 * A package owns the files that Go lists, and its test data if no other package is below its folder. Go does not say which package
 * reads other files in the folder.
 */
function packageOf({ name, folder, files, imports }: GoPackage, containers: ReadonlySet<string>): Package {
  const at = folder === "" ? "" : `${folder}/`;
  return {
    name,
    // Vendored packages come from elsewhere.
    isTarget: !/(^|\/)vendor\//.test(folder),
    folder,
    ownFolders: containers.has(folder) ? [] : [`${at}testdata`],
    ownFiles: files.map((file) => at + file),
    needs: imports,
  };
}

function isModuleFile(path: string): boolean {
  return /(^|\/)go\.(mod|work)$/.test(path);
}

/** The import paths of the repository's modules: their own, and those that `replace` maps to them. */
async function localModules(git: GitEnvironment, files: readonly TreeEntry[]): Promise<string[]> {
  const moduleFiles = files.filter(({ path }) => isModuleFile(path));
  const paths = (await readFiles(git, moduleFiles)).flatMap(({ text }) => [
    ...text.matchAll(/^\s*module\s+"?([^\s"]+)/gm),
    ...text.matchAll(/^\s*(?:replace\s+)?"?([^\s"]+)"?(?:\s+v\S+)?\s+=>\s+"?\.{1,2}\//gm),
  ]);
  return paths.map(([, path = ""]) => path);
}

/** Follows the rules of `go help packages`. */
function isSeenByGo(folder: string): boolean {
  return !folder.split("/").some((name) => /^[._]|^(testdata|vendor)$/.test(name));
}
