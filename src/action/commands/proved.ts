import { type AnswerOf, ApiError, NetworkError } from "../../client/client.ts";
import { counted, namesOf } from "../../engine/reasons/sentence.ts";
import { accessTo } from "../access.ts";
import { createCheckedClient } from "../checked-client.ts";
import { explainError } from "../explain-error.ts";
import type { ProvedInputs } from "../inputs.ts";
import { type Outcome, type StepContext, StepError } from "../step.ts";
import { code, escapeMarkdown } from "../summary.ts";

type Proof = AnswerOf<"proveCommit">;

/** The job waits for this step only to save time. */
const budgetMs = 4_000;
const attempts = 3;
const pauseMs = 500;

/**
 * Asks whether the tree of a commit was tested, so that its tests need not run again. After any error, the step succeeds, `proved` is
 * false, and the job runs its tests.
 */
export async function proved(inputs: ProvedInputs, context: StepContext): Promise<Outcome> {
  const { workflow, runner } = context;
  const repo = inputs.repository ?? workflow.repository;
  const sha = inputs.sha ?? (workflow.isAboutSha ? workflow.sha : null);
  const targetBranch = inputs.targetBranch ?? workflow.pullRequest?.baseBranch ?? workflow.branch;
  if (repo === null || sha === null || targetBranch === null) {
    const missing =
      "Set the inputs repository, sha and target-branch: the workflow's event does not name them.";
    return unproved("COMMIT_UNKNOWN", "Which commit?", missing);
  }
  const { owner, name } = repo;
  const question = { repo: { host: workflow.host, owner, name }, targetBranch, sha };
  if (inputs.dryRun) {
    const message = `Would ask whether the queue of ${targetBranch} has tested the tree of ${sha}.`;
    return { ...unproved("DRY_RUN", "Dry run", message), verdict: "dry-run" };
  }
  const client = createCheckedClient(await accessTo(inputs, context, { budgetMs, attempts }));
  let answer = await client.proveCommit(question);
  for (let asked = 1; asked < attempts && answer.reason === "CODE_HOST_DID_NOT_ANSWER"; asked++) {
    runner.log("GitHub did not tell the service the commit's tree in time; asking again.");
    await context.clock.sleep(pauseMs, context.signal);
    answer = await client.proveCommit(question);
  }
  return describeAnswer(answer, sha);
}

/** The outcome when the question could not be asked or answered. */
export function unprovedBy(error: unknown): Outcome {
  const { title, message } = explainError(error, null);
  return unproved(codeOf(error), title, message);
}

function codeOf(error: unknown): string {
  if (error instanceof ApiError) return error.code ?? "NOT_TRAINYARD";
  if (error instanceof NetworkError) return "NO_ANSWER";
  return error instanceof StepError ? "NOT_ASKED" : "UNEXPECTED_ERROR";
}

function unproved(reason: string, title: string, message: string, answer: Partial<Proof> = {}): Outcome {
  return {
    verdict: "not-proved",
    isFailure: false,
    title,
    message: `${message} So \`proved\` is false.`,
    outputs: {
      ...{ proved: "false", reason, checks: "[]" },
      ...{ "run-url": textOf(answer.run?.url), "tested-sha": textOf(answer.run?.testedSha) },
      "pull-request": typeof answer.prNumber === "number" ? String(answer.prNumber) : "",
    },
    details: [],
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const noes: Readonly<Record<Exclude<Proof["reason"], Yes>, string>> = {
  NOT_TESTED: "The queue has not tested this tree.",
  NOT_FINISHED: "The queue is still testing this tree.",
  FAILED: "The last test of this tree failed.",
  CANCELLED: "The test of this tree was cancelled.",
  NOT_EVERY_CHECK_PASSED: "Not every required check passed on this tree itself.",
  TOO_MANY_RUNS: "Too many runs tested this tree to compare them.",
  COMMIT_NOT_FOUND: "GitHub does not show the service this commit.",
  CODE_HOST_DID_NOT_ANSWER: "GitHub did not tell the service the tree of this commit in time.",
};

type Yes = "PASSED" | "PASSED_DESPITE_FLAKY_TESTS";

const fields: ReadonlySet<string> = new Set<keyof Proof>([
  ...(["proved", "reason", "sha", "treeSha", "prNumber", "run", "checks", "flakyTests"] as const),
]);

function describeAnswer(answer: Proof, sha: string): Outcome {
  if (answer.proved !== true) {
    const { reason } = answer;
    const known = Object.hasOwn(noes, reason) ? noes[reason as keyof typeof noes] : null;
    if (known !== null) return unproved(reason, "Not proved", known, answer);
  } else if (isYes(answer, sha)) return describeYes(answer);
  return unproved(
    "ANSWER_NOT_UNDERSTOOD",
    "The answer is not understood",
    "The service's answer has fields or values that this version of the Action does not know. Use the version of the Action that belongs to the service.",
  );
}

/** A new field or word of a newer service may restrict the meaning of the known ones, so it does not count as a yes. */
function isYes(answer: Proof, sha: string): boolean {
  const { reason, run, checks, flakyTests } = answer;
  return (
    Object.keys(answer).every((name) => fields.has(name)) &&
    (reason === "PASSED" || reason === "PASSED_DESPITE_FLAKY_TESTS") &&
    answer.sha === sha.toLowerCase() &&
    typeof run?.testedSha === "string" &&
    Array.isArray(flakyTests) &&
    Array.isArray(checks) &&
    checks.every(({ name, conclusion }) => typeof name === "string" && typeof conclusion === "string") &&
    checks.some(({ conclusion }) => conclusion === "success")
  );
}

function describeYes({ reason, run, checks, prNumber, flakyTests }: Proof): Outcome {
  const ran = checks.filter(({ conclusion }) => conclusion === "success").map(({ name }) => name);
  const spared =
    flakyTests.length === 0 ? "" : ` ${counted(flakyTests.length, "test")} failed in it and did not count.`;
  return {
    verdict: "proved",
    isFailure: false,
    title: "Proved",
    message: `The queue has tested this tree as ${run?.testedSha}; passed: ${namesOf(ran)}.${spared}`,
    outputs: {
      ...{ proved: "true", reason, "run-url": run?.url ?? "", "tested-sha": run?.testedSha ?? "" },
      ...{ "pull-request": prNumber === null ? "" : String(prNumber), checks: JSON.stringify(ran) },
    },
    details: [
      ...(run?.url ? [`- [the test run](${run.url})`] : []),
      ...checks.map(({ name, conclusion, url }) => {
        const shown =
          url !== null && /^https?:\/\/[^\s()<>]+$/.test(url)
            ? `[${escapeMarkdown(name)}](${url})`
            : code(name);
        return `- ${shown}: ${escapeMarkdown(conclusion)}`;
      }),
      ...flakyTests.map((name) => `- failed and did not count: ${code(name)}`),
    ],
  };
}
