import { constants } from "node:os";
import { join } from "node:path";
import type { ClientOptions } from "../../client/client.ts";
import { withinBudget } from "../access.ts";
import { createCheckedClient } from "../checked-client.ts";
import { runVisibly } from "../child-process.ts";
import type { Outcome, StepContext } from "../step.ts";
import { awaitShards } from "../test-reports/await-shards.ts";
import { describeUpload } from "../test-reports/describe-upload.ts";
import { findReports } from "../test-reports/find-reports.ts";
import { dryRun, judged, notJudged, notRun, withoutToken } from "../test-reports/outcomes.ts";
import type { UploadTestsInputs } from "../test-reports/read-inputs.ts";

/** The maximum time that one answer of the service may delay a job, and the maximum number of attempts. */
const budget = { budgetMs: 10_000, attempts: 3 };

/**
 * Runs the tests, or takes over after an earlier step ran them. Uploads their reports, and passes if every failed test is quarantined.
 * Otherwise the step ends as the tests did, even if the upload fails.
 */
export async function uploadTests(inputs: UploadTestsInputs, surroundings: StepContext): Promise<Outcome> {
  const run = await runTests(inputs, surroundings);
  if (run === null) return notRun(inputs);
  try {
    return await judge(inputs, surroundings, run);
  } catch (error) {
    return notJudged(error, run, surroundings);
  }
}

async function judge(inputs: UploadTestsInputs, surroundings: StepContext, run: TestsRun): Promise<Outcome> {
  const { workflow, runner } = surroundings;
  const cwd = join(workflow.workspace, inputs.workingDirectory);
  const found = await findReports(inputs.junitPaths, cwd, run.since);
  runner.log(`Found ${found.found} reports.`);
  if (inputs.dryRun) return dryRun(found.found, run);
  const source = sourceOf(inputs, surroundings);
  if (source === null) return withoutToken(inputs, run);
  const upload = await describeUpload(inputs, surroundings, found, run.exitCode !== 0);
  const send = async () => {
    const service = withinBudget(surroundings, budget);
    const access = await accessBy(source, surroundings, service);
    return await createCheckedClient({ ...service, ...access }).uploadTestResults(upload);
  };
  const first = await send();
  const size = upload.reports.reduce((sum, { content }) => sum + content.length, 0);
  // If the tests passed, no answer can change the result of the step.
  const waitMs = run.exitCode === 0 ? 0 : inputs.waitForShardsMs;
  const answer = await awaitShards(first, { repeat: send, size, waitMs }, surroundings);
  return judged(answer, run, surroundings.env);
}

/** The credential for the upload. */
type Source = "api-token" | "run" | "job";

/**
 * Uses the API token if there is one. A fork has none, so the id of its workflow run is used. Other jobs may have a token of their
 * own.
 */
function sourceOf({ apiToken }: UploadTestsInputs, { workflow, issueToken }: StepContext): Source | null {
  if (apiToken !== null) return "api-token";
  if (workflow.pullRequest?.isFromFork) return workflow.runId === null ? null : "run";
  return issueToken === null ? null : "job";
}

async function accessBy(
  source: Source,
  { workflow, issueToken }: StepContext,
  service: ReturnType<typeof withinBudget>,
): Promise<Pick<ClientOptions, "workflowToken" | "forkedWorkflowRunId">> {
  if (source === "run") return { forkedWorkflowRunId: workflow.runId ?? "" };
  if (source === "job") return { workflowToken: (await issueToken?.(service)) ?? "" };
  return {};
}

/** How the tests ended, and since when reports belong to them. */
export interface TestsRun {
  /** The exit code of the step if no failure is forgiven. */
  readonly exitCode: number;
  /** Older reports belong to an earlier run; in milliseconds since the epoch. Null = unknown. */
  readonly since: number | null;
}

/** The options of bash for a workflow's `shell: bash`. */
const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
/** File times may be less precise by up to this. */
const toleranceMs = 1_000;

/** Runs the tests, or returns how the step that ran them ended; null when they did not run to their end. */
async function runTests(
  { tests, workingDirectory }: UploadTestsInputs,
  { workflow, env, signal, clock }: StepContext,
): Promise<TestsRun | null> {
  if ("outcome" in tests) {
    if (tests.outcome !== "success" && tests.outcome !== "failure") return null;
    return { exitCode: tests.outcome === "success" ? 0 : 1, since: null };
  }
  const since = clock.now() - toleranceMs;
  const cwd = join(workflow.workspace, workingDirectory);
  const program = { file: "bash", label: "run", args: [...bash, tests.run], cwd, env, signal };
  const { code, signal: killedBy } = await runVisibly(program);
  // The exit code that a shell reports for a program that a signal ended.
  const exitCode = code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
  return signal.aborted ? null : { exitCode, since };
}
