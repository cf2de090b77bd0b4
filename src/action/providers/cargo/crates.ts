import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { jsonPrintedBy } from "../../child-process.ts";
import type { ExportedTree } from "../../git/export-tree.ts";
import type { GitEnvironment } from "../../git/git.ts";
import { pathWithin } from "../repository-folder.ts";
import { replacementFolders } from "./replacements.ts";

export interface Crate {
  readonly name: string;
  /** Relative to the repository's root; empty for the root. */
  readonly folder: string;
  /** The names of its dependencies of any origin: a crate from a registry may be replaced by one in this repository. */
  readonly needs: readonly string[];
  /** The root source files of its targets, relative to the repository's root. */
  readonly sources: readonly string[];
}

/** The crates of a Cargo workspace. */
export interface CargoWorkspace {
  readonly crates: readonly Crate[];
  readonly folder: string;
  /** The names of the crates that replace crates of any origin. */
  readonly replacements: ReadonlySet<string>;
}

/** The fields that are read from the output of `cargo metadata`, format version 1. */
interface Metadata {
  readonly workspace_root: string;
  readonly packages: readonly {
    readonly name: string;
    readonly manifest_path: string;
    /** Only dependencies in the same repository have a path. */
    readonly dependencies: readonly { readonly name: string; readonly path?: string }[];
    readonly targets: readonly { readonly src_path: string }[];
  }[];
}

/** Loads the crates of a workspace, and crates outside of it that it depends on by path or that replace others. */
export async function loadCrates(git: GitEnvironment, { root, cwd }: ExportedTree): Promise<CargoWorkspace> {
  const crates = new Map<string, Crate>();
  const wanted = new Set<string>();
  const add = ({ packages }: Metadata) => {
    for (const { name, manifest_path, dependencies, targets } of packages) {
      const folder = pathWithin(root, dirname(manifest_path));
      if (folder === null) continue;
      const sources = targets
        .map(({ src_path }) => pathWithin(root, src_path))
        .filter((path) => path !== null);
      crates.set(folder, { name, folder, needs: dependencies.map((needed) => needed.name), sources });
      for (const { path } of dependencies) if (path !== undefined) wanted.add(path);
    }
  };
  const metadata = await readMetadata({ ...git, cwd });
  add(metadata);
  const replacing = await replacementFolders(metadata.workspace_root, cwd);
  for (const folder of replacing) wanted.add(folder);
  // Iterating over a set also visits items that are added meanwhile.
  for (const path of wanted) {
    const isListed = crates.has(pathWithin(root, path) ?? "/");
    if (!isListed && existsSync(join(path, "Cargo.toml"))) add(await readMetadata({ ...git, cwd }, path));
  }
  const names = replacing.flatMap((path) => crates.get(pathWithin(root, path) ?? "/")?.name ?? []);
  return {
    crates: [...crates.values()],
    folder: pathWithin(root, metadata.workspace_root) ?? "",
    replacements: new Set(names),
  };
}

async function readMetadata(git: GitEnvironment, folder?: string): Promise<Metadata> {
  const manifest = folder === undefined ? [] : [`--manifest-path=${join(folder, "Cargo.toml")}`];
  // Without external dependencies, cargo needs neither the network nor a lockfile, and runs no code of theirs.
  const args = ["metadata", "--format-version=1", "--no-deps", "--offline", ...manifest];
  return (await jsonPrintedBy({ ...git, file: "cargo", label: "cargo metadata", args })) as Metadata;
}
