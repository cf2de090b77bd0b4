import { existsSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import type { AnswerOf } from "../../client/client.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import { accessTo } from "../access.ts";
import { createCheckedClient } from "../checked-client.ts";
import { explainError } from "../explain-error.ts";
import type { ContextInputs } from "../inputs.ts";
import { type Outcome, type StepContext, StepError } from "../step.ts";
import { code } from "../summary.ts";

type Run = Extract<AnswerOf<"getMergeQueueTestingDetails">, { testRunId: string }>;

/** What the step writes for the steps after it, as `trainyard.json`. */
interface QueueContext {
  /** Increases when a field changes its meaning. */
  readonly version: 1;
  /** Null if the job does not run on a test branch of the queue, or the service did not answer. */
  readonly testRunId: string | null;
  readonly baseSha: string | null;
  readonly members: readonly { readonly number: number; readonly sha: string }[];
  /** The pull requests ahead of the members, which the branch contains. */
  readonly ahead: readonly number[];
  readonly isBisection: boolean;
  readonly failedBefore: NonNullable<Run["failedBefore"]>;
}

const nothing: QueueContext = {
  ...{ version: 1, testRunId: null, baseSha: null, members: [], ahead: [], isBisection: false },
  failedBefore: [],
};

const budget = { budgetMs: 10_000, attempts: 3 };
const mostListed = 20;
const runId = /^pr-\d+\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:-bisection.*)?$/i;

/**
 * Tells a job on a test branch of the queue what it tests, and which tests failed before on it. Elsewhere, and after an error, reports that
 * nothing is known, and succeeds: the job then runs its tests in their usual order.
 */
export async function context(inputs: ContextInputs, step: StepContext): Promise<Outcome> {
  const { workflow } = step;
  const branch = workflow.branch ?? "";
  const { testBranchPrefix: prefix } = inputs;
  const [, testRunId] = (branch.startsWith(prefix) && runId.exec(branch.slice(prefix.length))) || [];
  if (testRunId === undefined)
    return contextUnknown(inputs, step, {
      ...{ title: "No test branch", message: `${branch || "The ref"} is no test branch of the queue.` },
    });
  if (inputs.dryRun)
    return contextUnknown(inputs, step, {
      ...{ title: "Dry run", message: `Would ask about the test run ${testRunId}.`, verdict: "dry-run" },
    });
  const repo = inputs.repository ?? workflow.repository;
  const targetBranch = inputs.targetBranch ?? workflow.defaultBranch;
  if (repo === null || targetBranch === null)
    throw new StepError("Which queue?", "Set the inputs repository and target-branch.");
  const { owner, name } = repo;
  const client = createCheckedClient(await accessTo(inputs, step, budget));
  const queue = { repo: { host: workflow.host, owner, name }, targetBranch };
  const run = await client.getMergeQueueTestingDetails({ ...queue, testRunId });
  if (!("testRunId" in run)) throw new StepError("Which run?", "The service named no test run.");
  return described(run, inputs, step);
}

/** The outcome when the service was not asked or did not answer. */
export async function contextUnknown(
  inputs: Pick<ContextInputs, "workingDirectory"> | null,
  step: Pick<StepContext, "workflow">,
  {
    title,
    message,
    verdict = "skipped",
  }: { title: string; message: string; verdict?: "skipped" | "dry-run" },
): Promise<Outcome> {
  const outputs = await writeContext(nothing, inputs, step);
  return { verdict, isFailure: false, title, message, outputs, details: [] };
}

/** The outcome after an error. */
export function contextFailed(error: unknown, step: Pick<StepContext, "workflow">): Promise<Outcome> {
  const { title, message } = explainError(error, null);
  return contextUnknown(null, step, {
    title,
    message: `${message} So no test is known to have failed before.`,
  });
}

async function described(run: Run, inputs: ContextInputs, step: StepContext): Promise<Outcome> {
  const members = run.testedPullRequests.map(({ prNumber: number, prSha: sha }) => ({ number, sha }));
  const { testRunId, baseSha, dependentPrs: ahead, isBisection, failedBefore = [] } = run;
  const outputs = await writeContext(
    { version: 1, testRunId, baseSha, members, ahead, isBisection, failedBefore },
    inputs,
    step,
  );
  const of = members.map(({ number }) => `#${number}`).join(", ") || "the branch alone";
  return {
    verdict: "told",
    isFailure: false,
    title: isBisection ? "Part of a batch that failed" : "A test of the queue",
    message: `This run tests ${of}. ${counted(failedBefore.length, "test")} failed before on ${members.length === 1 ? "it" : "them"}.`,
    outputs,
    details: failedBefore
      .slice(0, mostListed)
      .map(({ name, file }) => `- ${file === null ? "" : `${code(file)} `}${code(name)}`),
  };
}

async function writeContext(
  told: QueueContext,
  inputs: Pick<ContextInputs, "workingDirectory"> | null,
  { workflow }: Pick<StepContext, "workflow">,
): Promise<Outcome["outputs"]> {
  const file = join(workflow.temporary, "trainyard.json");
  const list = join(workflow.temporary, "trainyard-failed-files.txt");
  const directory = join(workflow.workspace, inputs?.workingDirectory ?? ".");
  await writeFile(file, `${JSON.stringify(told, null, 2)}\n`);
  const files = existingFiles(told.failedBefore, directory);
  await writeFile(list, files.map((path) => `${path}\n`).join(""));
  return {
    context: file,
    members: JSON.stringify(told.members),
    "is-bisection": String(told.isBisection),
    "failed-files": list,
  };
}

/**
 * The files of tests that exist, relative to the working directory. Paths come from a test report. Those that lead out of the checkout,
 * look like an option of a program, or contain a line break are left out.
 */
function existingFiles(tests: QueueContext["failedBefore"], directory: string): readonly string[] {
  const paths = tests.flatMap(({ file }) => {
    if (file === null || /\p{Cc}/u.test(file)) return [];
    const path = relative(directory, isAbsolute(file) ? file : join(directory, file)).replaceAll("\\", "/");
    if (path === "" || path.startsWith("../") || path.startsWith("-") || isAbsolute(path)) return [];
    const full = join(directory, path);
    return existsSync(full) && statSync(full).isFile() ? [path] : [];
  });
  return [...new Set(paths)];
}
