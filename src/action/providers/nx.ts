import { existsSync } from "node:fs";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { jsonPrintedBy, type Program, printedBy } from "../child-process.ts";
import { exportTree } from "../git/export-tree.ts";
import { type GitEnvironment, gitLine, scanTree, type TreeEntry } from "../git/git.ts";
import { StepError } from "../step.ts";
import { withoutExclusion } from "../targets/globs.ts";
import { globalFileFinder, globalImpact } from "./global-files.ts";
import { askSides, type Package, targetsByPackages, type Workspace } from "./package-graph.ts";
import { batched, type Change, type Impact, localProgram } from "./provider.ts";
import { foldersAbove } from "./repository-paths.ts";
import { nodeToolAt, readWorkspace } from "./workspaces/workspaces.ts";

/**
 * The projects that Nx reports as affected, and those that its graphs before and after the change show as affected. Nx alone
 * ignores removed projects, and files that belong to no project.
 */
export async function targetsByNx(change: Change): Promise<Impact> {
  const nx = programOf(change);
  const sharedGlobs = new Set<string>();
  const sides = await askSides(change, async (sha, side) => {
    const { workspace, sharedInputs } = await readProjects(change, nx, sha, side);
    for (const glob of sharedInputs) sharedGlobs.add(glob);
    return workspace;
  });
  const global = await globalImpact([globalFileFinder("nx.json", [...sharedGlobs], "nx")], change);
  if (global !== null) return global;
  const impact = await targetsByPackages(sides, change);
  if (impact.all) return impact;
  const targets = new Set(await affectedByNx(nx, change));
  for await (const batch of impact.targets) for (const target of batch) targets.add(target);
  return { all: false, targets: batched(targets) };
}

function programOf({ git }: Change): Omit<Program, "args"> {
  // A daemon would outlive the step.
  const env = { ...git.env, NX_DAEMON: "false", NX_TUI: "false", NO_COLOR: "1" };
  return { ...git, env, file: localProgram("nx", git.cwd), label: "nx" };
}

async function affectedByNx(
  nx: Omit<Program, "args">,
  { baseSha, headSha }: Change,
): Promise<readonly string[]> {
  const args = ["show", "projects", "--affected", `--base=${baseSha}`, `--head=${headSha}`, "--json"];
  const projects = await jsonPrintedBy({ ...nx, label: "nx show projects", args });
  if (Array.isArray(projects) && projects.every((item) => typeof item === "string")) return projects;
  throw new StepError("Nx printed an unknown format", "Use Nx 17 or later.");
}

/** The fields that are read from the output of `nx graph`. */
interface Graph {
  readonly graph?: {
    readonly nodes: Readonly<
      Record<string, { readonly data: { readonly root: string; readonly targets?: NxTargets } }>
    >;
    readonly dependencies: Readonly<Record<string, readonly { readonly target: string }[]>>;
  };
}

/** The projects of a commit, and the globs of files that nx.json declares as inputs. */
async function readProjects(
  { git, temporary }: Change,
  nx: Omit<Program, "args">,
  sha: string,
  side: string,
): Promise<{ workspace: Workspace; sharedInputs: readonly string[] }> {
  const prefix = (await gitLine(git, "rev-parse", "--show-prefix")) ?? "";
  await using exported = await exportTree(git, sha, temporary, side);
  const tree = await scanTree(git, sha, (path) => basename(path) === "package.json");
  await linkInstalled(git, exported.root, tree.files);
  const { nodes, dependencies } = await readGraph(nx, exported.cwd);
  const settings = await readFile(join(exported.cwd, "nx.json"), "utf8").catch(() => "{}");
  const names = Object.keys(nodes);
  const folders = new Map(
    Object.entries(nodes).map(([name, { data }]) => [name, folderOf(prefix, data.root)]),
  );
  // Nx does not show packages that are not projects. One that others need may read the files of the folders around it.
  const installed = await readWorkspace(await nodeToolAt(git, sha), git, sha);
  const needed = new Set(installed.packages.flatMap(({ needs }) => needs));
  const neededFolders = installed.packages.filter(({ name }) => needed.has(name)).map(({ folder }) => folder);
  const containers = foldersAbove([...folders.values(), ...neededFolders]);
  const packages = Object.entries(nodes).map(([name, { data }]) => {
    const folder = folders.get(name) ?? "";
    const needs = [
      ...(dependencies[name] ?? []).map(({ target }) => target),
      ...neededProjects(data.targets, names),
    ];
    const ownFolders = containers.has(folder) ? [] : [folder];
    return { name, isTarget: true, folder, ownFolders, ownFiles: [], needs };
  });
  const inputs = Object.entries(nodes).flatMap(([target, { data }]) => {
    const globs = workspaceGlobs(
      Object.values(data.targets ?? {}).map(({ inputs }) => inputs),
      prefix,
    );
    return globs.length === 0 ? [] : [{ target, globs }];
  });
  const workspace = {
    ...installed,
    packages: [...packages, ...connectors(installed.packages, packages)],
    inputs,
  };
  return { workspace, sharedInputs: workspaceGlobs(settings, prefix) };
}

/**
 * The packages of package.json files. If a project has the same folder, the package depends on it, and it gets the package's
 * dependencies.
 */
function connectors(installed: readonly Package[], projects: readonly Package[]): Package[] {
  const byFolder = new Map(projects.map((project) => [project.folder, project.name]));
  return installed.flatMap((one) => {
    const connector = { ...one, isTarget: false, ownFolders: [], ownFiles: [] };
    const project = byFolder.get(one.folder);
    if (project === undefined) return [connector];
    return [
      { ...connector, needs: [...one.needs, project] },
      { ...connector, name: project },
    ];
  });
}

function folderOf(prefix: string, root: string): string {
  return posix.join(prefix, root).replace(/^\.$|\/$/, "");
}

async function readGraph(nx: Omit<Program, "args">, cwd: string): Promise<NonNullable<Graph["graph"]>> {
  const file = join(cwd, "..", "nx-graph.json");
  // Nx's own cache belongs to another commit.
  const env = {
    ...nx.env,
    NX_WORKSPACE_DATA_DIRECTORY: join(cwd, ".nx/workspace-data"),
    NX_CACHE_PROJECT_GRAPH: "false",
  };
  for await (const _ of printedBy(
    { ...nx, cwd, env, label: "nx graph", args: ["graph", `--file=${file}`] },
    "keep",
  ));
  const { graph } = JSON.parse(await readFile(file, "utf8")) as Graph;
  if (graph?.nodes && graph.dependencies) return graph;
  throw new StepError("Nx printed an unknown format", "Use Nx 17 or later.");
}

/** Links the checkout's `node_modules` into the exported files of a commit, because Nx and its plugins are loaded from there. */
async function linkInstalled(
  git: GitEnvironment,
  root: string,
  manifests: readonly TreeEntry[],
): Promise<void> {
  const checkout = (await gitLine(git, "rev-parse", "--show-toplevel")) ?? git.cwd;
  for (const folder of new Set(["", ...manifests.map(({ path }) => posix.dirname(path))])) {
    const installed = join(checkout, folder, "node_modules");
    const place = join(root, folder, "node_modules");
    if (!existsSync(installed) || existsSync(place)) continue;
    await mkdir(dirname(place), { recursive: true });
    await symlink(installed, place);
  }
}

/**
 * The targets of a project, as `nx graph` shows them. Only fields that may refer to files or projects outside of the project are
 * read.
 */
type NxTargets = Readonly<
  Record<string, { readonly inputs?: readonly unknown[]; readonly dependsOn?: readonly unknown[] }>
>;

/** Globs of the form `{workspaceRoot}/…` in a value, relative to the repository's root. */
function workspaceGlobs(value: unknown, prefix: string): string[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return [...text.matchAll(/"\{workspaceRoot\}\/([^"]+)"/g)].map(([, glob = ""]) =>
    withoutExclusion(posix.join(prefix, glob.replaceAll(/\{project(Name|Root)\}/g, "**"))),
  );
}

/** Projects that a project's inputs or tasks depend on, but not its code. */
function neededProjects(targets: NxTargets = {}, all: readonly string[]): readonly string[] {
  const named = Object.values(targets)
    .flatMap(({ inputs = [], dependsOn = [] }) => [...inputs, ...dependsOn])
    .flatMap((item) => (Object(item) as { projects?: string | readonly string[] }).projects ?? [])
    .filter(
      (name) => name !== "self" && name !== "dependencies" && name !== "{self}" && name !== "{dependencies}",
    );
  // Patterns and tags may mean any project.
  return named.every((name) => all.includes(name)) ? named : all;
}
