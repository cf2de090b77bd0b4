import { basename } from "node:path";
import { exportTree } from "../../git/export-tree.ts";
import { scanTree, type Tree } from "../../git/tree.ts";
import { globOf } from "../../targets/glob.ts";
import type { PathRule } from "../../targets/path-rules.ts";
import { readLinks } from "../file-links.ts";
import { askBothSides, type Package, targetsByPackages, type Workspace } from "../package-graph.ts";
import type { Change, Impact } from "../provider.ts";
import { foldersAbove, parentOf } from "../repository-folder.ts";
import { type Crate, loadCrates } from "./crates.ts";

/** The workspace's crates that changed, and those that depend on them to run, to build or to test. */
export async function targetsByCargo(change: Change): Promise<Impact> {
  return targetsByPackages(
    await askBothSides(change, (sha, side) => readWorkspace(change, sha, side)),
    change,
  );
}

async function readWorkspace({ git, temporary }: Change, sha: string, side: string): Promise<Workspace> {
  await using exported = await exportTree(git, sha, temporary, side);
  const { crates, folder: top, replacements } = await loadCrates(git, exported);
  const tree = await scanTree(git, sha, (path) => basename(path) === "Cargo.toml");
  const containers = foldersAbove(crates.map(({ folder }) => folder));
  // A crate at the top of the workspace does not own the files there: other crates may use them.
  if (crates.length > 1) containers.add(top);
  return {
    packages: [...crates.map((crate) => packageOf(crate, containers, top)), ...strangers(tree, crates)],
    inputs: crates.flatMap(outerSources),
    neededByAll: replacements,
    links: await readLinks(git, tree.symlinks),
  };
}

/** A crate owns its whole folder. If other crates lie in that folder, it owns only what is below its source folders. */
function packageOf(crate: Crate, containers: ReadonlySet<string>, top: string): Package {
  const { name, folder, needs, sources } = crate;
  const common = { name, isTarget: true, folder, needs };
  if (!containers.has(folder)) return { ...common, ownFolders: [folder], ownFiles: [] };
  const inner = sources.filter((source) => isBelow(source, folder));
  const ownFolders = new Set(
    inner.map((source) => parentOf(source) ?? "").filter((above) => above !== folder),
  );
  const manifest = folder === top ? [] : [`${folder}/Cargo.toml`];
  return { ...common, ownFolders: [...ownFolders], ownFiles: [...inner, ...manifest] };
}

/** Crates that Cargo does not list, such as test data. */
function strangers({ files }: Tree, crates: readonly Crate[]): Package[] {
  const listed = new Set(crates.map(({ folder }) => folder));
  return files.flatMap(({ path }) => {
    const folder = parentOf(path) ?? "";
    if (listed.has(folder)) return [];
    return { name: `./${folder}`, isTarget: false, folder, ownFolders: [], ownFiles: [], needs: [] };
  });
}

/** The folders of a crate's sources that lie outside of its own folder. */
function outerSources({ name, folder, sources }: Crate): PathRule[] {
  return sources
    .filter((source) => !isBelow(source, folder))
    .map((source) => {
      const above = globOf(parentOf(source) ?? "");
      return { target: name, globs: [above === "" ? "**" : `${above}/**`] };
    });
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}
