import type { Decision } from "../../decision.ts";
import { cancellationReason, submissionReason } from "../../model/actor.ts";
import { isBaseTestUrgent } from "../../model/base-test.ts";
import { freeSlots } from "../../model/capacity/slots.ts";
import type { ChecksVerdict } from "../../model/checks/required-checks.ts";
import { expiryOf } from "../../model/checks/run-checks.ts";
import type { PullRequestFacts } from "../../model/entry.ts";
import type { InputOf } from "../../model/input.ts";
import { baseTip, countActiveTries, type QueueState, startsTests } from "../../model/queue.ts";

import type { Try, TryVerdict } from "../../model/tries/try.ts";
import type { Reason } from "../../reasons/reason.ts";
import { headRefusal } from "../submission/admission.ts";
import { withdrawalOf } from "../submission/readiness.ts";
import { droppedRun, singleRun } from "./run-end.ts";

/** The maximum number of attempts to build a test commit during an outage. */
const maxAttempts = 10;
/** The delay between these attempts. */
const retryMs = 60_000;

/** Requests a test of a pull request on the base, without queueing it. Does nothing if a try of the same head exists already. */
export function askForTry(decision: Decision, command: InputOf<"try">): void {
  const { pullRequest: facts, actor, via } = command;
  const { number: pr, headSha, headRef, baseBranch, title, url } = facts;
  const refusal = headRefusal(decision, command);
  if (refusal) return decision.refuse(refusal);
  if (decision.state.entries.has(pr)) return decision.refuse({ code: "ALREADY_QUEUED", pr });
  const known = decision.state.tries.get(pr);
  if (known?.headSha === headSha) return;
  if (known) endTry(decision, known, "stopped", { code: "PUSHED_TO", sha: headSha });
  decision.record({ type: "try_asked", pr, headSha, headRef, baseBranch, title, url, actor, via });
}

/** Ends a try, if there is one. After a comment, the end is not reported, because the reply to the comment says so. */
export function cancelTry(
  decision: Decision,
  { pr, actor, via }: Pick<InputOf<"cancel_try">, "pr" | "actor" | "via">,
): void {
  const tried = decision.state.tries.get(pr);
  if (!tried) return;
  const unreported = via === "comment" ? { unreported: true as const } : {};
  decision.record({ ...ending(decision, tried, "stopped", cancellationReason(actor, via)), ...unreported });
}

/** Ends the try of a pull request that has been submitted, because the queue tests it from now on. */
export function endTryOfSubmitted(decision: Decision, pr: number): void {
  const entry = decision.state.entries.get(pr);
  const tried = decision.state.tries.get(pr);
  if (!tried || !entry) return;
  const reason = submissionReason(entry.admittedBy, entry.admittedVia);
  decision.record({ ...ending(decision, tried, "stopped", reason), unreported: true });
}

/** Ends a try if its pull request changes. Draft status and objections do not matter, because a try does not merge. */
export function observeTried(decision: Decision, facts: PullRequestFacts): void {
  const tried = decision.state.tries.get(facts.number);
  const withdrawal = tried && withdrawalOf(tried, { ...facts, draft: false, objections: [] });
  if (withdrawal) endTry(decision, tried, "stopped", withdrawal.reason);
}

/** Tries again later after an error in building its test commit, up to the maximum number of attempts. */
export function retryTry(decision: Decision, tried: Try, message: string): void {
  const attempts = tried.attempts + 1;
  if (attempts >= maxAttempts)
    return endTry(decision, tried, "failed", { code: "RETRIES_EXHAUSTED", message });
  const reason: Reason = { code: "INFRASTRUCTURE_ERROR", message, attempt: attempts };
  putBack(decision, tried, reason, attempts, decision.context.now + retryMs);
}

/** Ends a try if its checks decide it. */
export function concludeTry(decision: Decision, tried: Try, { verdict, failed }: ChecksVerdict): void {
  if (verdict === "passed") endTry(decision, tried, "passed", { code: "TESTS_PASSED" });
  if (verdict === "failed") endTry(decision, tried, "failed", { code: "CHECKS_FAILED", checks: failed });
}

/** Starts tries on slots that no entry needs, and takes slots back that entries need, from the latest try first. */
export function settleTries(decision: Decision): void {
  if (decision.state.tries.size === 0) return;
  const inOrder = [...decision.state.tries.values()].toSorted((a, b) => a.askedAt - b.askedAt || a.pr - b.pr);
  let free = slotsForTries(decision.state);
  for (const tried of inOrder.toReversed()) {
    if (free >= 0) break;
    if (!tried.run) continue;
    putBack(decision, tried, { code: "SLOT_NEEDED" }, tried.attempts, null);
    free += 1;
  }
  const base = baseTip(decision.state);
  if (!startsTests(decision.state.status) || base === null) return;
  for (const { pr, run, retryAt } of inOrder) {
    if (free <= 0) return;
    if (run || (retryAt !== null && retryAt > decision.context.now)) continue;
    decision.record({ type: "try_started", pr, run: startedRun(decision, pr, base) });
    free -= 1;
  }
}

/** The number of free slots for tries; negative if tries occupy slots that entries need. */
function slotsForTries(state: QueueState): number {
  const base = state.baseTest === null || isBaseTestUrgent(state) ? 0 : 1;
  return freeSlots(state) - base - countActiveTries(state);
}

/** The test commit of a try never merges. As a squash, its message refers to no pull request, while that of a merge commit would. */
function startedRun({ state, context }: Decision, pr: number, base: string) {
  return singleRun(context, pr, base, state.settings.mergeMethod === "rebase" ? "rebase" : "squash");
}

/** Returns when a deadline or delay of a try ends next, in milliseconds since the epoch; null = never. */
export function nextTryDeadline(state: QueueState): number | null {
  if (state.tries.size === 0) return null;
  const mayStart = startsTests(state.status) && slotsForTries(state) > 0;
  const times = [...state.tries.values()].flatMap(({ run, retryAt }) =>
    run ? (expiryOf(state, run) ?? []) : mayStart && retryAt !== null ? retryAt : [],
  );
  return times.length === 0 ? null : Math.min(...times);
}

function putBack(decision: Decision, tried: Try, reason: Reason, attempts: number, retryAt: number | null) {
  const dropped = tried.run && droppedRun(decision, tried.run);
  if (dropped) decision.record({ type: "try_put_back", pr: tried.pr, dropped, attempts, retryAt, reason });
}

export function endTry(decision: Decision, tried: Try, verdict: TryVerdict, reason: Reason): void {
  decision.record(ending(decision, tried, verdict, reason));
}

function ending(decision: Decision, tried: Try, verdict: TryVerdict, reason: Reason) {
  const { pr, headSha, run } = tried;
  const dropped = run ? { dropped: droppedRun(decision, run) } : {};
  return {
    type: "try_ended",
    pr,
    headSha,
    baseSha: run?.parentSha ?? null,
    verdict,
    reason,
    ...dropped,
  } as const;
}
