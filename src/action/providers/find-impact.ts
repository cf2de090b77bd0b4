import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { asClause } from "../../engine/reasons/sentence.ts";
import { itemsPrintedBy, ProgramFailed } from "../child-process.ts";
import { changedFiles, changedFilesOfBothSides } from "../git/git.ts";
import { findMergeBases } from "../git/merge-base.ts";
import type { ImpactedTargetsInputs } from "../inputs.ts";
import { type Step, StepError } from "../step.ts";
import { globOf } from "../targets/globs.ts";
import { noTarget, PathMatcher, readFilterFile } from "../targets/path-rules.ts";
import { targetsByBazel } from "./bazel/bazel.ts";
import { targetsByCargo } from "./cargo.ts";
import { type FindGlobalFile, globalFileFinder, globalImpact } from "./global-files.ts";
import { targetsByGo } from "./go/go.ts";
import { targetsByNx } from "./nx.ts";
import { type BuildToolName, batched, type Change, type Impact } from "./provider.ts";
import { targetsByTurborepo } from "./turborepo.ts";
import { targetsByWorkspaces } from "./workspaces/workspaces.ts";

type Inputs = Pick<
  ImpactedTargetsInputs,
  "provider" | "impactAllPaths" | "impactAllFilters" | "workingDirectory"
>;

/** Finds what a pull request impacts, with the provider that the inputs name. @throws StepError, ProgramFailed, the signal's reason */
export async function findImpact(
  { provider, impactAllPaths, impactAllFilters, workingDirectory }: Inputs,
  { subject, workflow, env }: Pick<Step, "subject" | "workflow" | "env">,
  headSha: string,
  signal: AbortSignal,
): Promise<Impact> {
  if (provider.name === "all") return { all: true, because: "the provider is `all`" };
  const git = { cwd: join(workflow.workspace, workingDirectory), env, signal };
  const { targetBranch } = subject.queue;
  const { targetSha, bases } = await findMergeBases(git, targetBranch, headSha);
  const [baseSha, ...more] = bases;
  // The difference from one of several merge bases may lack changes that the merge brings.
  if (more.length > 0)
    return { all: true, because: `the pull request and ${targetBranch} have several merge bases` };
  const name = provider.name === "auto" ? await detectBuildTool(git.cwd) : provider.name;
  const { filters, shellCommand, bazel } = provider;
  const read = (path: string) => (path === "" ? [] : readFilterFile(workflow.workspace, path));
  const rules = [...provider.rules, ...(await read(filters))];
  const forAll = (await read(impactAllFilters)).flatMap(({ globs }) => globs);
  // A change of the filter files impacts everything: a pull request must not narrow its own impact by its own filters.
  const filterFiles = [filters, impactAllFilters].filter((path) => path !== "").map(globOf);
  const finders = [
    globalFileFinder("impact-all-paths", impactAllPaths, name),
    globalFileFinder(impactAllFilters, forAll, name),
    globalFileFinder("an input", filterFiles, name),
  ];
  const change: Change = { git, baseSha, headSha, targetSha, rules, temporary: workflow.temporary, bazel };
  const moved = name === "command" ? null : await movedOnTarget(change);
  if (moved !== null)
    return {
      all: true,
      because: `${targetBranch} has moved or deleted ${moved}, which the pull request changes`,
    };
  if (name === "paths") return targetsByPaths(change, finders);
  const global = await globalImpact(finders, change);
  if (global !== null) return global;
  try {
    return await askProvider(name, shellCommand, change);
  } catch (error) {
    if (!(error instanceof ProgramFailed && error.isMissing)) throw error;
    throw new StepError(
      "The build tool is missing",
      `${asClause(error.message)}. Install it before this step.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * A changed file that the target branch no longer has under its path; null if there is none. Git merges a change of such a file into
 * the file's new place, which no provider sees at the base or at the head.
 */
async function movedOnTarget({ git, baseSha, headSha, targetSha }: Change): Promise<string | null> {
  if (targetSha === baseSha) return null;
  const gone = new Set<string>();
  for await (const { path, isAtHead } of changedFilesOfBothSides(git, baseSha, targetSha))
    if (!isAtHead) gone.add(path);
  if (gone.size === 0) return null;
  let moved: string | null = null;
  for await (const paths of changedFiles(git, baseSha, headSha))
    moved ??= paths.find((path) => gone.has(path)) ?? null;
  return moved;
}

async function askProvider(
  name: BuildToolName | "command",
  shellCommand: string,
  change: Change,
): Promise<Impact> {
  switch (name) {
    case "command":
      return targetsByCommand(shellCommand, change);
    case "pnpm":
    case "yarn":
    case "npm":
      return targetsByWorkspaces(name, change);
    case "cargo":
      return targetsByCargo(change);
    case "go":
      return targetsByGo(change);
    case "nx":
      return targetsByNx(change);
    case "turborepo":
      return targetsByTurborepo(change);
    case "bazel":
      return targetsByBazel(change);
  }
}

/** The options of bash for a workflow's `shell: bash`. With `pipefail`, a pipe that fails does not look like a short list. */
const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];

/** Bash ignores the exit code of a program in a process substitution, so its failure would look like a short list. */
const processSubstitution = /[<>]\(/;

/** The targets that a program prints, one a line. Its environment names the commits to compare. */
function targetsByCommand(shellCommand: string, { git, baseSha, headSha }: Change): Impact {
  const [substitution] = processSubstitution.exec(shellCommand) ?? [];
  if (substitution !== undefined) {
    const because = `targets-command contains ${substitution}…), whose failure bash ignores: write the output to a file first, and read the file`;
    return { all: true, because };
  }
  const env = { ...git.env, TRAINYARD_BASE_SHA: baseSha, TRAINYARD_HEAD_SHA: headSha };
  const program = { ...git, env, file: "bash", label: "targets-command", args: [...bash, shellCommand] };
  return { all: false, targets: trimmed(itemsPrintedBy(program, "\n", "log")) };
}

async function* trimmed(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  for await (const lines of batches) yield lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** The targets whose globs match changed files. A file that no rule names impacts everything, since no rule says that it is harmless. */
async function targetsByPaths(change: Change, finders: readonly FindGlobalFile[]): Promise<Impact> {
  const matcher = new PathMatcher(change.rules);
  const impacted = new Set<string>();
  // One pass for both finders, because git takes half a second for a million changed files.
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    const because = finders.map((find) => find(paths)).find((reason) => reason !== null);
    if (because !== undefined) return { all: true, because };
    for (const path of paths) {
      if (!matcher.addTargets(path, impacted)) {
        return { all: true, because: `no line of targets-paths names ${path}` };
      }
    }
  }
  impacted.delete(noTarget);
  return { all: false, targets: batched(impacted) };
}

type Family = readonly (readonly [BuildToolName, readonly string[]])[];

/** Files that identify the tools of one language. Each tool comes before those that it builds upon. */
const families: readonly Family[] = [
  [
    ["nx", ["nx.json"]],
    ["turborepo", ["turbo.json", "turbo.jsonc"]],
    ["pnpm", ["pnpm-workspace.yaml"]],
    ["yarn", ["yarn.lock"]],
    ["npm", ["package.json"]],
  ],
  [["cargo", ["Cargo.toml"]]],
  [["go", ["go.work", "go.mod"]]],
];
/** Present for any language, because Bazel builds all of them. */
const bazelFiles = ["MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"];

/**
 * Detects the build tool of a workspace by the files at its top.
 *
 * @throws StepError when there is none, or when there are several that each know only a part
 */
export async function detectBuildTool(directory: string): Promise<BuildToolName> {
  const isThere = (file: string) => existsSync(join(directory, file));
  if (bazelFiles.some(isThere)) return "bazel";
  const tools: BuildToolName[] = [];
  for (const family of families) {
    const found = family.find(([, files]) => files.some(isThere))?.[0];
    const isPackage = found === "yarn" || found === "npm";
    if (found && (!isPackage || (await hasWorkspaces(directory)))) tools.push(found);
  }
  const [tool, ...others] = tools;
  if (tool === undefined) {
    throw new StepError(
      "No build tool was found",
      "The top directory of the workspace contains no file of a known build tool. Set the input provider, or working-directory.",
    );
  }
  if (others.length === 0) return tool;
  throw new StepError(
    "Several build tools were found",
    `Each of ${tools.join(", ")} covers only a part of the workspace. Set the input provider, with targets-paths for the rest, or use the provider \`command\`.`,
  );
}

async function hasWorkspaces(directory: string): Promise<boolean> {
  const manifest: unknown = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
  return Object(manifest).workspaces !== undefined;
}
