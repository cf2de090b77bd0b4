import { posix } from "node:path";
import stripJsonComments from "strip-json-comments";
import { jsonPrintedBy } from "../child-process.ts";
import { type GitEnvironment, gitLine, readFiles, scanTree } from "../git/git.ts";
import { StepError } from "../step.ts";
import { withoutExclusion } from "../targets/globs.ts";
import type { PathRule } from "../targets/path-rules.ts";
import { globalFileFinder, globalImpact } from "./global-files.ts";
import { askSides, type Package, targetsByPackages, type Workspace } from "./package-graph.ts";
import { batched, type Change, type Impact, localProgram } from "./provider.ts";
import { nodeToolAt, readWorkspace } from "./workspaces/workspaces.ts";

/**
 * The packages that Turborepo reports as affected, and those that the workspace and its tasks before and after the change show as
 * affected. Turborepo alone ignores removed packages, inputs outside of a package, and tasks of other packages.
 */
export async function targetsByTurborepo(change: Change): Promise<Impact> {
  const globalGlobs = new Set<string>();
  const sides = await askSides(change, async (sha) => {
    const workspace = await readWorkspace(await nodeToolAt(change.git, sha), change.git, sha);
    const tasks = await readTaskFiles(change.git, sha, workspace.packages);
    for (const glob of tasks.globalDependencies) globalGlobs.add(glob);
    return addTasks(workspace, tasks);
  });
  const global = await globalImpact(
    [globalFileFinder("globalDependencies of turbo.json", [...globalGlobs], "turborepo")],
    change,
  );
  if (global !== null) return global;
  const impact = await targetsByPackages(sides, change);
  if (impact.all) return impact;
  const targets = new Set(await affectedByTurborepo(change));
  for await (const batch of impact.targets) for (const target of batch) targets.add(target);
  return { all: false, targets: batched(targets) };
}

async function affectedByTurborepo({ git, baseSha, headSha }: Change): Promise<readonly string[]> {
  const env = {
    ...git.env,
    TURBO_SCM_BASE: baseSha,
    TURBO_SCM_HEAD: headSha,
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
  };
  const args = ["ls", "--affected", "--output=json"];
  const file = localProgram("turbo", git.cwd);
  const answer = await jsonPrintedBy({ ...git, env, file, label: "turbo ls", args });
  const names = namesIn(answer);
  if (names !== null) return names;
  throw new StepError("Turborepo printed an unknown format", "Use turbo 2.2 or later.");
}

/** Reads `{"packages": {"items": [{"name": …}]}}`. */
function namesIn(answer: unknown): string[] | null {
  const { packages } = Object(answer) as { packages?: { items?: unknown } };
  if (!Array.isArray(packages?.items)) return null;
  const names = packages.items.map((item) => Object(item).name as unknown);
  return names.every((name) => typeof name === "string") ? names : null;
}

/** The inputs and dependencies of packages' tasks, as turbo.json files declare them. */
interface Tasks {
  /** Globs of files that all tasks depend on, relative to the repository's root. */
  readonly globalDependencies: readonly string[];
  /** The packages that each package's tasks depend on. `inputs`: the globs that the tasks depend on, relative to the repository's root. */
  readonly needs: readonly { readonly name: string; readonly needed: string }[];
  readonly inputs: readonly PathRule[];
}

interface TaskFile {
  readonly extends?: readonly string[];
  readonly globalDependencies?: readonly string[];
  readonly tasks?: Readonly<Record<string, Task>>;
  /** The name of `tasks` before Turborepo 2. */
  readonly pipeline?: Readonly<Record<string, Task>>;
}

interface Task {
  readonly inputs?: readonly string[];
  readonly dependsOn?: readonly string[];
  readonly with?: readonly string[];
}

/**
 * Reads the turbo.json files of a commit. The one at the workspace's top applies to all packages, the one of a package to that
 * package.
 */
async function readTaskFiles(git: GitEnvironment, sha: string, packages: readonly Package[]): Promise<Tasks> {
  const top = ((await gitLine(git, "rev-parse", "--show-prefix")) ?? "").replace(/\/$/, "");
  const folders = new Map(packages.map((one) => [one.folder, one]));
  const tree = await scanTree(git, sha, (path) => /(^|\/)turbo\.jsonc?$/.test(path));
  const globalDependencies: string[] = [];
  const needs: { name: string; needed: string }[] = [];
  const inputs: PathRule[] = [];
  for (const { path, text } of await readFiles(git, tree.files)) {
    const folder = path.includes("/") ? posix.dirname(path) : "";
    const owner = folders.get(folder);
    if (folder !== top && owner === undefined) continue;
    const file = parse(path, text);
    const about =
      folder === top || owner === undefined ? packages.filter(({ isTarget }) => isTarget) : [owner];
    for (const glob of file.globalDependencies ?? []) globalDependencies.push(globFrom(top, top, glob));
    const parents = (file.extends ?? []).filter((name) => name !== "//");
    for (const { name } of about) for (const needed of parents) needs.push({ name, needed });
    for (const [key, task] of Object.entries({ ...file.pipeline, ...file.tasks })) {
      const only = about.filter(({ name }) => !key.includes("#") || key.startsWith(`${name}#`));
      for (const one of only) {
        for (const needed of packagesIn(task)) needs.push({ name: one.name, needed });
        const globs = outerGlobs(task).map((glob) => globFrom(top, one.folder, glob));
        if (globs.length > 0) inputs.push({ target: one.name, globs });
      }
    }
  }
  return { globalDependencies, needs, inputs };
}

function addTasks(workspace: Workspace, { needs, inputs }: Tasks): Workspace {
  const needed = Map.groupBy(needs, ({ name }) => name);
  const packages = workspace.packages.map((one) => {
    const more = needed.get(one.name)?.map((need) => need.needed) ?? [];
    return { ...one, needs: [...one.needs, ...more] };
  });
  return { ...workspace, packages, inputs: [...workspace.inputs, ...inputs] };
}

/** The packages of entries such as `web#build` among the tasks that have to run before a task, or beside it. */
function packagesIn({ dependsOn = [], with: beside = [] }: Task): string[] {
  return [...dependsOn, ...beside].flatMap((task) =>
    task.includes("#") ? [task.slice(0, task.lastIndexOf("#"))] : [],
  );
}

/** Inputs that may lie outside of the package. */
function outerGlobs({ inputs = [] }: Task): string[] {
  return inputs.filter((glob) => /^\$TURBO_ROOT\$\/|(^|\/)\.\.\//.test(glob) && !glob.startsWith("!"));
}

function globFrom(top: string, folder: string, glob: string): string {
  const [, fromTop] = /^\$TURBO_ROOT\$\/(.*)$/.exec(glob) ?? [];
  return withoutExclusion(posix.join(fromTop === undefined ? folder : top, fromTop ?? glob));
}

function parse(path: string, text: string): TaskFile {
  try {
    return Object(JSON.parse(stripJsonComments(text, { trailingCommas: true })));
  } catch (error) {
    throw new StepError("A turbo.json cannot be read", `${path}: ${error}. Fix it.`);
  }
}
