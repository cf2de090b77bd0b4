import type { Entry } from "../../model/entry.ts";
import { isBeingMerged } from "../../model/order/may-merge.ts";
import type { PullRequestFacts } from "../../model/pull-request-facts.ts";
import type { QueueState } from "../../model/queue.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { CommitMessage } from "../../model/test-run.ts";

/** Returns the title and message of a queued pull request after a submission; null if they do not change. */
export function changedMessage({ message }: Entry, given: CommitMessage | undefined): CommitMessage | null {
  const next = { ...message, ...given };
  return next.title === message?.title && next.body === message?.body ? null : next;
}

/**
 * Returns why a submission must not set the title or message of the merged commit; null if it may, or does not set them. They are fixed
 * while a test contains the pull request, because the merged commit has the message of the tested commit. Testing again for a new message
 * was rejected, because it would also discard the tests of other entries.
 */
export function messageRefusal(
  state: QueueState,
  { number: pr, headSha }: Pick<PullRequestFacts, "number" | "headSha">,
  given: CommitMessage | undefined,
): Refusal | null {
  const live = state.entries.get(pr);
  const queued = live?.headSha === headSha ? live : null;
  if (!given || (queued && !changedMessage(queued, given))) return null;
  if (state.settings.mergeMethod === "rebase") return { code: "REBASE_KEEPS_MESSAGES", pr };
  return queued && isTested(state, queued) ? { code: "MESSAGE_ALREADY_TESTED", pr } : null;
}

function isTested(state: QueueState, { pr, bisectionId }: Entry): boolean {
  if (bisectionId !== null || isBeingMerged(state, pr)) return true;
  for (const { ahead, members } of state.runs.values()) {
    if (members.includes(pr) || ahead.includes(pr)) return true;
  }
  return false;
}
