import { dirname } from "node:path";
import { jsonPrintedBy } from "../child-process.ts";
import { type Package, targetsByPackages } from "./package-graph.ts";
import type { Change, Impact } from "./provider.ts";
import { repositoryFolders } from "./repository-folder.ts";

/** The part that is read of what `cargo metadata` prints in its format 1. */
interface Metadata {
  readonly packages: readonly {
    readonly name: string;
    readonly manifest_path: string;
    /** A path stands at those of the same workspace. */
    readonly dependencies: readonly { readonly name: string; readonly path?: string }[];
  }[];
}

/** The workspace's crates that changed, and those that need them for whatever: to run, to build, to test. */
export async function targetsByCargo(change: Change): Promise<Impact> {
  const { git } = change;
  // Without dependencies from elsewhere it needs neither the network nor a lockfile, and runs no code of theirs.
  const args = ["metadata", "--format-version=1", "--no-deps", "--offline"];
  const { packages } = (await jsonPrintedBy({
    ...git,
    file: "cargo",
    label: "cargo metadata",
    args,
  })) as Metadata;
  const folderOf = await repositoryFolders(git);
  const crates = packages.map(async ({ name, manifest_path, dependencies }): Promise<Package> => {
    const needs = dependencies.flatMap((needed) => (needed.path === undefined ? [] : [needed.name]));
    return { name, folder: await folderOf(dirname(manifest_path)), needs };
  });
  return targetsByPackages(await Promise.all(crates), change);
}
