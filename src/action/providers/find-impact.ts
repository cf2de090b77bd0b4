import { join } from "node:path";
import { asClause } from "../../engine/sentence.ts";
import { ProgramFailed } from "../child-process.ts";
import { findMergeBase } from "../git/merge-base.ts";
import type { ImpactedTargetsInputs } from "../inputs.ts";
import type { Step } from "../step.ts";
import { StepError } from "../step-error.ts";
import { targetsByBazel } from "./bazel/bazel.ts";
import { targetsByCargo } from "./cargo.ts";
import { targetsByCommand } from "./command.ts";
import { detectBuildTool } from "./detect.ts";
import { firstGlobalFile, globalFileFinder, globalImpact } from "./global-files.ts";
import { targetsByGo } from "./go.ts";
import { targetsByNx } from "./nx.ts";
import { targetsByPaths, targetsNamed } from "./paths.ts";
import type { Change, Impact } from "./provider.ts";
import type { BuildToolName } from "./provider-name.ts";
import { targetsByTurborepo } from "./turborepo.ts";
import { targetsByWorkspaces } from "./workspaces.ts";

type Inputs = Pick<ImpactedTargetsInputs, "provider" | "impactAllPaths" | "workingDirectory">;

/** What a pull request impacts, by the provider that the inputs name. @throws StepError, ProgramFailed, what the signal says */
export async function findImpact(
  { provider, impactAllPaths, workingDirectory }: Inputs,
  { subject, workflow, env }: Pick<Step, "subject" | "workflow" | "env">,
  headSha: string,
  signal: AbortSignal,
): Promise<Impact> {
  if (provider.name === "all") return { all: true, because: "the provider is `all`" };
  const git = { cwd: join(workflow.workspace, workingDirectory), env, signal };
  const baseSha = await findMergeBase(git, subject.queue.targetBranch, headSha);
  const { rules, shellCommand } = provider;
  const change: Change = { git, baseSha, headSha, rules, temporary: workflow.temporary };
  const name = provider.name === "auto" ? await detectBuildTool(git.cwd) : provider.name;
  const findGlobalFile = globalFileFinder(impactAllPaths, name);
  if (name === "paths") return targetsByPaths(change, findGlobalFile);
  const file = impactAllPaths.length === 0 ? null : await firstGlobalFile(findGlobalFile, change);
  if (file !== null) return globalImpact(file);
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
      return withNamed(await targetsByNx(change), change);
    case "turborepo":
      return withNamed(await targetsByTurborepo(change), change);
    case "bazel":
      return withNamed(await targetsByBazel(change), change);
  }
}

/** Adds what targets-paths says to what a tool found that decides for itself what a file impacts. */
async function withNamed(impact: Impact, change: Change): Promise<Impact> {
  const named = await targetsNamed(change);
  if (impact.all || named.size === 0) return impact;
  const { targets } = impact;
  return { all: false, targets: distinct(targets, named) };
}

async function* distinct(targets: AsyncIterable<readonly string[]>, more: Set<string>) {
  for await (const batch of targets) {
    for (const target of batch) more.delete(target);
    yield batch;
  }
  yield [...more];
}
