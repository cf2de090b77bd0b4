import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ExportedTree } from "../../git/export-tree.ts";
import type { GitEnvironment } from "../../git/git.ts";
import { pathWithin } from "../repository-folder.ts";
import { goList, type Listed } from "./go-list.ts";

export interface GoPackage {
  readonly name: string;
  /** Relative to the repository's root; empty for the root. */
  readonly folder: string;
  /** Its files, relative to its folder. */
  readonly files: readonly string[];
  /** The imports of the package and of its tests, including those that this machine's platform and tags exclude. */
  readonly imports: readonly string[];
}

/** The maximum number of folders on one command line. */
const mostFolders = 500;

/**
 * The packages of the main modules, and the packages in the repository that they import, such as those of a module that `replace`
 * maps to a folder here.
 *
 * @param folders folders with Go files, relative to the repository's root.
 * @param localModules the import paths of the repository's modules.
 */
export async function listPackages(
  git: GitEnvironment,
  { root, cwd }: ExportedTree,
  folders: readonly string[],
  localModules: readonly string[],
): Promise<GoPackage[]> {
  const here = { ...git, cwd };
  const modules = await goList.modules(here);
  const listed = await goList.packages(
    here,
    modules.map((directory) => `${directory}/...`),
  );
  const known = new Set(listed.map(({ directory }) => directory));
  // Go skips a folder whose files are all for other platforms or tags, unless the folder is named.
  const left = folders
    .map((folder) => join(root, folder))
    .filter((directory) => !known.has(directory) && modules.includes(moduleOf(directory, root)));
  for (let start = 0; start < left.length; start += mostFolders) {
    listed.push(...(await goList.packages(here, left.slice(start, start + mostFolders))));
  }
  const packages = new Map<string, GoPackage>();
  const asked = new Set<string>();
  while (listed.length > 0) {
    const imports = new Set<string>();
    for (const one of listed.splice(0)) {
      const folder = one.directory === "" ? null : pathWithin(root, one.directory);
      if (folder === null || packages.has(one.name)) continue;
      const leftOut = await importsLeftOut(one);
      for (const path of leftOut)
        if (localModules.some((module) => isWithin(path, module))) imports.add(path);
      packages.set(one.name, {
        name: one.name,
        folder,
        files: one.files,
        imports: [...one.imports, ...leftOut],
      });
    }
    // Go also skips packages of other modules here that only such files import.
    const unknown = [...imports].filter((path) => !packages.has(path) && !asked.has(path));
    for (const path of unknown) asked.add(path);
    if (unknown.length > 0) listed.push(...(await goList.packages(here, unknown)));
  }
  return [...packages.values()];
}

/** The directory of the module that a directory is in. */
function moduleOf(directory: string, root: string): string {
  for (let above = directory; above !== root; above = dirname(above)) {
    if (existsSync(join(above, "go.mod"))) return above;
  }
  return root;
}

function isWithin(path: string, module: string): boolean {
  return path === module || path.startsWith(`${module}/`);
}

/**
 * Go does not report the imports of excluded files. Every quoted text in them counts as an import; a text that is none names no
 * package.
 */
async function importsLeftOut({ directory, ignored }: Listed): Promise<string[]> {
  const texts = await Promise.all(ignored.map((file) => readFile(join(directory, file), "utf8")));
  return texts.flatMap((text) => [...text.matchAll(/["`]([^"`\s]+)["`]/g)].map(([, path = ""]) => path));
}
