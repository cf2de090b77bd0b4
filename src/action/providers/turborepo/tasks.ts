import { posix } from "node:path";
import stripJsonComments from "strip-json-comments";
import { type GitEnvironment, gitLine } from "../../git/git.ts";
import { readFiles } from "../../git/read-files.ts";
import { scanTree } from "../../git/tree.ts";
import { StepError } from "../../step-error.ts";
import type { PathRule } from "../../targets/path-rules.ts";
import type { Package, Workspace } from "../package-graph.ts";

/** The inputs and dependencies of packages' tasks, as turbo.json files declare them. */
export interface Tasks {
  /** Globs of files that all tasks depend on, relative to the repository's root. */
  readonly globalDependencies: readonly string[];
  /**
   * The packages that each package's tasks depend on. `inputs` holds the globs that they depend on, relative to the repository's
   * root.
   */
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
export async function readTaskFiles(
  git: GitEnvironment,
  sha: string,
  packages: readonly Package[],
): Promise<Tasks> {
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

/** Adds the dependencies and inputs of tasks to a workspace. */
export function addTasks(workspace: Workspace, { needs, inputs }: Tasks): Workspace {
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
  return posix.join(fromTop === undefined ? folder : top, fromTop ?? glob);
}

function parse(path: string, text: string): TaskFile {
  try {
    return Object(JSON.parse(stripJsonComments(text, { trailingCommas: true })));
  } catch (error) {
    throw new StepError("A turbo.json cannot be read", `${path}: ${error}. Fix it.`);
  }
}
