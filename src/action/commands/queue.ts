import { counted } from "../../engine/reasons/sentence.ts";
import { type Followed, follow, loadSubmitted, neverSubmitted, verdictOf } from "../follow.ts";
import type { CancelInputs, RestartInputs, SubmitInputs } from "../inputs.ts";
import type { Entry, Outcome, Step, Verdict } from "../step.ts";
import { describeEntry, entryOutputs, renderChain, stateText } from "../summary.ts";

/** Submits the pull request. With `wait`, follows it until it has left the queue. */
export async function submit(inputs: SubmitInputs, step: Step): Promise<Outcome> {
  const { runner, subject, client } = step;
  const { queue, pr, headSha } = subject;
  const { priority, noBatch, wait, timeoutMs } = inputs;
  if (inputs.dryRun) return dryRun(inputs, step);
  const entry = await client.submitPullRequest({
    ...queue,
    // The head that the workflow ran for, because nobody has looked at later commits.
    pr: { number: pr, ...(headSha === null ? {} : { sha: headSha }) },
    ...(priority === null ? {} : { priority }),
    ...(noBatch ? { noBatch } : {}),
    via: "action",
  });
  runner.log(`Submitted #${pr} to the queue of ${queue.targetBranch} with priority ${entry.priorityName}.`);
  return wait ? waited(await follow(entry, step, { timeoutMs }), timeoutMs) : submitted(entry);
}

function dryRun({ priority, noBatch }: SubmitInputs, { subject: { pr, queue } }: Step): Outcome {
  const how = `${priority === null ? "" : `, priority ${priority}`}${noBatch ? ", alone" : ""}`;
  const message = `Would submit #${pr} to the queue of ${queue.targetBranch}${how}.`;
  return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
}

function submitted(entry: Entry): Outcome {
  return {
    verdict: "submitted",
    isFailure: false,
    title: "Submitted",
    message: `#${entry.prNumber} is ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry),
  };
}

function waited({ entry, ended }: Followed, timeoutMs: number): Outcome {
  const verdict = verdictOf({ entry, ended });
  return {
    verdict,
    isFailure: verdict !== "merged",
    title: verdict === "merged" ? "Merged" : `Not merged: ${stateText(entry)}`,
    message: `#${entry.prNumber} is ${describeEntry(entry)}. ${nextStep(verdict, timeoutMs)}`.trim(),
    outputs: entryOutputs(entry),
    details: renderChain(entry),
  };
}

function nextStep(verdict: Verdict, timeoutMs: number): string {
  switch (verdict) {
    case "failed":
    case "cancelled":
      return "Fix the cause, then submit it again.";
    case "interrupted":
      return "The workflow was cancelled; the pull request stays in the queue.";
    case "timed-out":
      return `The pull request was not merged or removed within ${counted(timeoutMs / 60_000, "minute")}, and stays in the queue. To wait longer, set the input timeout-minutes.`;
    case "unknown":
      return "This version of the Action does not know this state. Use a newer one.";
    default:
      return "";
  }
}

/** Dequeues the pull request. If it is not in the queue, nothing changes, and the step succeeds. */
export async function cancel({ dryRun }: CancelInputs, step: Step): Promise<Outcome> {
  const { queue, pr } = step.subject;
  if (dryRun) return wouldCancel(step);
  const before = await loadSubmitted(step);
  if (before === null) return neverSubmitted(step, "there is nothing to cancel");
  const entry = await step.client.cancelPullRequest({ ...queue, pr: { number: pr }, via: "action" });
  const isCancelled = entry.state === "cancelled";
  return {
    verdict: isCancelled ? "cancelled" : "skipped",
    isFailure: false,
    title: isCancelled ? "Cancelled" : `Already ${stateText(entry)}`,
    message: `#${pr} is ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry),
  };
}

function wouldCancel({ subject: { pr, queue } }: Step): Outcome {
  const message = `Would remove #${pr} from the queue of ${queue.targetBranch}.`;
  return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
}

/** Restarts the tests of the pull request, which keeps its position. The service refuses this if it is not being tested. */
export async function restart({ dryRun }: RestartInputs, { client, subject }: Step): Promise<Outcome> {
  const { queue, pr } = subject;
  if (dryRun) {
    const message = `Would test #${pr} again in the queue of ${queue.targetBranch}.`;
    return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
  }
  const entry = await client.restartTestsOnPullRequest({ ...queue, pr: { number: pr } });
  return {
    verdict: "restarted",
    isFailure: false,
    title: "Restarted",
    message: `#${pr} is tested again: ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry),
  };
}
