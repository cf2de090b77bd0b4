import type { FileLinks } from "../file-links.ts";
import type { Package } from "../package-graph.ts";
import { foldersAbove } from "../repository-folder.ts";
import { aimsOf, dependenciesOf, type Manifest, type PnpmSettings, textsIn } from "./manifest.ts";
import type { PackageNames } from "./package-names.ts";

/** Maps links to the folders with a package.json that they lead to, both relative to the workspace's folder. */
export function linkedFolders(
  links: FileLinks,
  manifests: ReadonlyMap<string, Manifest>,
  prefix: string,
): Map<string, string> {
  const within = (path: string) => (path.startsWith(prefix) ? path.slice(prefix.length) : "");
  const ends = [...links].filter(([end]) => manifests.has(within(end)));
  return new Map(ends.flatMap(([end, paths]) => paths.map((path) => [within(path), within(end)])));
}

/** The packages of a workspace, and packages that only connect them. */
export function packagesOf(
  manifests: ReadonlyMap<string, Manifest>,
  members: ReadonlySet<string>,
  names: PackageNames,
  prefix: string,
): Package[] {
  const needs = new Map(
    [...manifests].map(([folder, manifest]) => [folder, names.all(dependenciesOf(manifest, folder))]),
  );
  const needed = new Set([...needs.values()].flat());
  // A package.json without a name usually only sets the module format of a folder.
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

/** The packages that replace packages of any origin. Packages from elsewhere may therefore depend on them, too. */
export function replacements(
  { root, settings }: { root: Manifest; settings: PnpmSettings },
  names: PackageNames,
): Set<string> {
  const { overrides, catalog, catalogs } = settings;
  const ranges = textsIn([root.overrides, root.resolutions, root.pnpm, overrides, catalog, catalogs]);
  return new Set(names.all(ranges.flatMap((range) => aimsOf(range, "."))));
}
