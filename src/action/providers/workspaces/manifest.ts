import { posix } from "node:path";

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
export function dependenciesOf(manifest: Manifest, folder: string): string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  return [dependencies, devDependencies, optionalDependencies, peerDependencies]
    .flatMap((kind) => Object.entries(kind ?? {}))
    .flatMap(([name, range]) => [name, ...aimsOf(range, folder)]);
}

/** The names and folders that a range, an override or a resolution refers to. */
export function aimsOf(range: string, folder: string): string[] {
  const [, alias] = /^(?:npm|workspace):((?:@[^/]+\/)?[^@/]+)@/.exec(range) ?? [];
  const [, path = range] = /^(?:file|link|portal|workspace):(.+)$/.exec(range) ?? [];
  const isPath = path !== range || /^\.{0,2}\//.test(range);
  // Relative to the package; a path of Yarn's `workspace:` is relative to the top.
  const linked = isPath ? [folderNeed(posix.join(folder, path)), folderNeed(path)] : [];
  return [...(alias === undefined ? [] : [alias]), ...linked];
}

/** A folder, as an item among names. No package name begins with `./`. */
export function folderNeed(folder: string): string {
  return `./${posix.join(folder).replace(/^\.$|\/$/, "")}`;
}

/** All strings in a value, at any depth. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
