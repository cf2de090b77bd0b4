import { join } from "node:path";
import { asClause } from "../../engine/reasons/sentence.ts";
import { ProgramFailed } from "../child-process.ts";
import { findMergeBase } from "../git/merge-base.ts";
import type { ImpactedTargetsInputs } from "../inputs.ts";
import type { Step } from "../step.ts";
import { StepError } from "../step-error.ts";
import { readFilterFile } from "../targets/filter-file.ts";
import { globOf } from "../targets/glob.ts";
import { targetsByBazel } from "./bazel/bazel.ts";
import { targetsByCargo } from "./cargo/cargo.ts";
import { targetsByCommand } from "./command.ts";
import { detectBuildTool } from "./detect.ts";
import { globalFileFinder, globalImpact } from "./global-files.ts";
import { targetsByGo } from "./go/go.ts";
import { targetsByNx } from "./nx/nx.ts";
import { targetsByPaths } from "./paths.ts";
import type { Change, Impact } from "./provider.ts";
import type { BuildToolName } from "./provider-name.ts";
import { targetsByTurborepo } from "./turborepo/turborepo.ts";
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
  const baseSha = await findMergeBase(git, subject.queue.targetBranch, headSha);
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
  const change: Change = { git, baseSha, headSha, rules, temporary: workflow.temporary, bazel };
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
