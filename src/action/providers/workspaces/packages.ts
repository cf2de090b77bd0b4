import { posix } from "node:path";
import type { Package } from "../package-graph.ts";
import { type FileLinks, foldersAbove } from "../repository-paths.ts";

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

/** The fields that are read of a package.json. */
export interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[] | { readonly packages?: readonly string[] };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: unknown;
  readonly resolutions?: unknown;
  readonly pnpm?: unknown;
}

/** The fields that are read of pnpm-workspace.yaml. */
export interface PnpmSettings {
  readonly packages?: readonly unknown[];
  readonly overrides?: unknown;
  readonly catalog?: unknown;
  readonly catalogs?: unknown;
}

/** The globs of a package's own workspaces. */
export function workspaceGlobs({ workspaces = [] }: Manifest): readonly string[] {
  return "packages" in workspaces ? (workspaces.packages ?? []) : (workspaces as readonly string[]);
}

/** The names and folders that a package depends on: by name, by an alias (`workspace:@acme/a@*`), or by a path (`file:../a`). */
function dependenciesOf(manifest: Manifest, folder: string): string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  return [dependencies, devDependencies, optionalDependencies, peerDependencies]
    .flatMap((kind) => Object.entries(kind ?? {}))
    .flatMap(([name, range]) => [name, ...aimsOf(range, folder)]);
}

/** The names and folders that a range, an override or a resolution refers to. */
function aimsOf(range: string, folder: string): string[] {
  const [, alias] = /^(?:npm|workspace):((?:@[^/]+\/)?[^@/]+)@/.exec(range) ?? [];
  const [, path = range] = /^(?:file|link|portal|workspace):(.+)$/.exec(range) ?? [];
  const isPath = path !== range || /^\.{0,2}\//.test(range);
  // Relative to the package; a path of Yarn's `workspace:` is relative to the top.
  const linked = isPath ? [folderNeed(posix.join(folder, path)), folderNeed(path)] : [];
  return [...(alias === undefined ? [] : [alias]), ...linked];
}

/** A folder, as an item among names. No package name begins with `./`. */
function folderNeed(folder: string): string {
  return `./${posix.join(folder).replace(/^\.$|\/$/, "")}`;
}

/** All strings in a value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The names that identify the packages of a workspace. */
export class PackageNames {
  readonly #byFolder = new Map<string, string>();

  constructor(manifests: ReadonlyMap<string, Manifest>) {
    for (const [folder, { name }] of manifests) {
      const need = folderNeed(folder);
      this.#byFolder.set(need, name ?? (folder === "." ? need : folder));
    }
  }

  of(folder: string): string {
    return this.#byFolder.get(folderNeed(folder)) ?? folder;
  }

  /** Replaces folders by the names of the packages there. A path inside a package, such as a tarball, belongs to that package. */
  all(needs: readonly string[]): string[] {
    return needs.map((need) => (need.startsWith("./") ? this.#nameAt(need) : need));
  }

  #nameAt(need: string): string {
    for (let folder = need; folder.length > 1; folder = posix.dirname(folder)) {
      const name = this.#byFolder.get(folder);
      if (name !== undefined) return name;
    }
    return this.#byFolder.get("./") ?? need;
  }
}
