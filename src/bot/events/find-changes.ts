import type { AnswerOf } from "../../client/client.ts";
import { ghost, isSameName } from "../../engine/model/names.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { ListedPullRequest } from "../../ports/code-host/pull-requests.ts";
import type { Bot } from "../bot.ts";
import { findEntry, type QueueAnswer, takesAutoMerge } from "../commands/queues.ts";
import type { FoundChange, PolledQueue } from "./found-deliveries.ts";

/** A change of auto-merge whose webhook was lost. */
interface FoundAutoMerge {
  readonly action: "auto_merge_enabled" | "auto_merge_disabled";
  readonly by: { readonly login: string; readonly id: number; readonly isBot: boolean };
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** GitHub does not say who disabled auto-merge. */
const nobody = { login: ghost, id: 0, isBot: false };

/** Finds a difference between auto-merge on GitHub and the queue; null when they agree. */
export async function findAutoMerge(
  { client, codeHost }: Bot,
  { installationId, ...address }: InstalledRepository,
  branch: string,
  pull: ListedPullRequest,
): Promise<FoundAutoMerge | null> {
  const entry = await findEntry(client, address, branch, pull.number);
  const queued = entry?.isCurrentlySubmittedToQueue ?? false;
  if (pull.autoMergeBy === null) {
    const isDisabled = queued && entry?.submittedVia === "auto_merge";
    return isDisabled ? { action: "auto_merge_disabled", by: nobody, at: pull.updatedAt } : null;
  }
  if (queued || !(await takesAutoMerge(client, address, branch))) return null;
  const at = await codeHost.autoMergeEnabledAt({ installationId, ...address }, pull.number);
  return at === null ? null : { action: "auto_merge_enabled", by: pull.autoMergeBy, at };
}

/** A pull request whose submitting label or auto-merge was taken away. */
interface FoundWithdrawal {
  readonly pull: ListedPullRequest;
  readonly change: FoundChange & { readonly id: string };
}

/** GitHub's replicas lag by less than this. */
const certainAfterMs = 30_000;

/** The pull requests that wait in a queue until their base branch is changed. The listing of the queue's branch does not contain them. */
export function waitingForBase({ awaitingReadiness }: QueueAnswer, branch: string): readonly number[] {
  const waiting = awaitingReadiness.filter(({ prBaseBranch }) => prBaseBranch !== branch);
  return waiting.map(({ prNumber }) => prNumber);
}

/**
 * Finds out whether the label or auto-merge that submitted a pull request is gone, although its base branch is not the queue's. It may have
 * been removed during the submission.
 *
 * @returns null when it is still there, or something else has submitted the pull request
 */
export async function findWithdrawal(
  { client, codeHost, clock }: Bot,
  { repo, branch }: PolledQueue,
  pr: number,
  submitLabel: string | null,
): Promise<FoundWithdrawal | null> {
  const entry = await findEntry(client, repo, branch, pr);
  const certainAt = clock.now() - certainAfterMs;
  if (!entry?.isCurrentlySubmittedToQueue || Date.parse(entry.stateChangedAt) > certainAt) return null;
  if (entry.submittedVia === "label") {
    const events = await codeHost.listLabelEvents(repo, pr);
    const last = events.findLast(({ label }) => isSameName(label, submitLabel));
    if (last?.action !== "unlabeled") return null;
    return { pull: pullOf(entry, last.at), change: { ...last, id: String(last.id) } };
  }
  if (entry.submittedVia !== "auto_merge" || (await codeHost.autoMergeEnabledAt(repo, pr)) !== null)
    return null;
  const action = "auto_merge_disabled";
  const { login: actorLogin, id: actorId, isBot: actorIsBot } = nobody;
  // Nothing says when it was disabled.
  const change = { action, actorLogin, actorId, actorIsBot, at: certainAt };
  return { pull: pullOf(entry, certainAt), change: { ...change, id: `${action}/${pr}/${certainAt}` } };
}

function pullOf(
  { prNumber, prSha, prBaseBranch }: AnswerOf<"getSubmittedPullRequest">,
  updatedAt: number,
): ListedPullRequest {
  const unknown = { draft: false, labels: [], autoMergeBy: null };
  return { number: prNumber, headSha: prSha, baseBranch: prBaseBranch, updatedAt, ...unknown };
}
