import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ExportedTree } from "../../git/export-tree.ts";
import type { GitEnvironment } from "../../git/git.ts";
import { pathWithin } from "../repository-folder.ts";
import { goList, type Listed } from "./go-list.ts";

export interface GoPackage {
  readonly name: string;
  /** The path from the repository's root; empty for the root. */
  readonly folder: string;
  /** Files that are in it, from its folder. */
  readonly files: readonly string[];
  /** What it imports itself and in its tests, also where the machine's platform and tags leave that out. */
  readonly imports: readonly string[];
}

/** How many folders a command line takes at once. */
const mostFolders = 500;

/**
 * The packages of the main modules, and those in the repository that they import, such as a module that `replace` puts here.
 *
 * @param folders those with Go files, from the repository's root.
 * @param localModules the paths by which modules of the repository are imported.
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
  // Go passes over a folder whose files are all for other platforms or tags, unless it is named.
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
    // Nor does it look at what only such files import, if that is of another module here.
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

/** Of files that Go leaves out it does not tell the imports: all that is quoted there could be one, and what is none is no package either. */
async function importsLeftOut({ directory, ignored }: Listed): Promise<string[]> {
  const texts = await Promise.all(ignored.map((file) => readFile(join(directory, file), "utf8")));
  return texts.flatMap((text) => [...text.matchAll(/["`]([^"`\s]+)["`]/g)].map(([, path = ""]) => path));
}
