import { describeEntry, entryOutputs, stateText } from "../describe-entry.ts";
import type { CancelInputs } from "../inputs.ts";
import { loadSubmitted, neverSubmitted } from "../never-submitted.ts";
import type { Outcome, Step } from "../step.ts";
import { renderChain } from "../summary.ts";

/** Dequeues the pull request. One that is not in the queue stays as it is; this is no failure. */
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
