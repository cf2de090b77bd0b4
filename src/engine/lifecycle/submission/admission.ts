import type { Decision } from "../../decision.ts";
import { cancellationReason, isGivenByPerson, submissionReason } from "../../model/actor.ts";
import { defaultPriority, type Entry, type PullRequestFacts } from "../../model/entry.ts";
import type { InputOf } from "../../model/input.ts";
import { hasMerged, isBeingMerged } from "../../model/order/dependencies.ts";
import type { Refusal } from "../../model/refusal.ts";
import { readinessTimeoutMs, usesLanes } from "../../model/settings.ts";
import { sameTargets } from "../../model/targets.ts";
import { stackObjection } from "../../reasons/objection.ts";
import type { Reason } from "../../reasons/reason.ts";
import { declineDirectMerge, isMergeCalled, recallMerge, wasMergeCalled } from "../merging/ordered-merge.ts";
import { absorbMerge, leave, testAgain } from "../requeue.ts";
import {
  admitIfReady,
  changedMessage,
  isIntoQueue,
  isUnready,
  mergesStacked,
  messageRefusal,
  readinessOf,
  releaseDependents,
  sameReadiness,
  steadied,
  type Withdrawal,
  withAccepted,
  withdrawalOf,
} from "./readiness.ts";

/** Admits a pull request to the queue, or changes the priority, batching and message of a queued one. */
export function submit(decision: Decision, command: InputOf<"submit">): void {
  const facts = command.pullRequest;
  const refusal = headRefusal(decision, command) ?? messageRefusal(decision.state, facts, command.message);
  if (refusal) return decision.refuse(refusal);
  const live = decision.state.entries.get(facts.number);
  if (live?.headSha === facts.headSha) revise(decision, live, command);
  else if (live && isOlder(facts, live)) return decision.refuse(pushedMeanwhile(facts, live));
  if (live) observePullRequest(decision, { pullRequest: facts }, true);
  // A live entry with another head has just been taken out, unless its merge has been ordered.
  const remaining = decision.state.entries.get(facts.number);
  if (!remaining) admit(decision, command);
  else if (remaining.headSha !== facts.headSha) {
    decision.refuse({ code: "MERGE_ALREADY_ORDERED", pr: facts.number });
  }
}

const pushedMeanwhile = ({ number, headSha }: PullRequestFacts, live: Entry): Refusal => ({
  code: "HEAD_MISMATCH",
  pr: number,
  expected: headSha,
  actual: live.headSha,
});

type HeadCommand = Pick<InputOf<"submit">, "pullRequest" | "expectedHead" | "seenHead" | "via">;

/**
 * Returns why a command must be refused; null if it need not be. A comment or a label without a head SHA is about the head at the time
 * when it was given (`seenHead`), or else about the queued head: it may be the command that queued it, repeated after a crash.
 */
export function headRefusal(
  decision: Decision,
  { pullRequest: facts, expectedHead, seenHead, via }: HeadCommand,
): Refusal | null {
  const pr = facts.number;
  const queued = decision.state.entries.get(pr)?.headSha ?? null;
  const { commandsEnabled, commandsDisabledBy } = decision.state.settings;
  if (via === "comment" && !commandsEnabled) return { code: "COMMANDS_DISABLED", by: commandsDisabledBy };
  if (facts.state !== "open") {
    const gone = facts.state === "closed" && facts.isBranchGone ? { branch: facts.headRef } : {};
    return { code: "PR_NOT_OPEN", pr, state: facts.state, ...gone };
  }
  // A merged pull request cannot be reopened, so this reading is from before the merge.
  if (queued === null && hasMerged(decision.state, pr)) return { code: "PR_NOT_OPEN", pr, state: "merged" };
  // An entry that is queued at this head has been admitted before.
  const isAdmission = isGivenByPerson(via) && queued !== facts.headSha;
  if (isAdmission && facts.fromFork && (via !== "comment" || expectedHead === null)) {
    return { code: "FORK_NEEDS_SHA", pr, head: facts.headSha };
  }
  const stacked = stackObjection(facts, mergesStacked(decision));
  if (stacked && !stacked.isLowest) return { ...stacked, pr };
  const head = expectedHead ?? seenHead ?? (isAdmission ? queued : null);
  if (head !== null && head !== facts.headSha) {
    return { code: "HEAD_MISMATCH", pr, expected: head, actual: facts.headSha };
  }
  return isAdmission && head === null ? { code: "HEAD_NOT_PROVEN", pr, head: facts.headSha } : null;
}

function admit(decision: Decision, command: InputOf<"submit">): void {
  const facts = command.pullRequest;
  decision.record({
    type: "entry_admitted",
    entryId: command.entryId,
    pr: facts.number,
    headSha: facts.headSha,
    headRef: facts.headRef,
    baseBranch: facts.baseBranch,
    title: facts.title,
    author: facts.author,
    url: facts.url,
    priority: command.priority ?? defaultPriority,
    noBatch: command.noBatch ?? false,
    ...(command.message ? { message: command.message } : {}),
    readiness: readinessOf(decision, facts),
    targets: command.targets,
    ...(command.risk === undefined ? {} : { risk: command.risk }),
    ...changeTimeOf(facts),
    actor: command.actor,
    via: command.via,
    reason: submissionReason(command.actor, command.via),
  });
  admitIfReady(decision, facts.number);
}

function revise(decision: Decision, entry: Entry, command: InputOf<"submit">): void {
  const priority = command.priority ?? entry.priority;
  const noBatch = command.noBatch ?? entry.noBatch;
  const message = changedMessage(entry, command.message);
  if (priority.value === entry.priority.value && noBatch === entry.noBatch && !message) return;
  const { pr } = entry;
  const changes = { priority, noBatch, ...(message ? { message } : {}) };
  decision.record({ type: "entry_revised", pr, ...changes, actor: command.actor });
}

export function cancel(decision: Decision, command: InputOf<"cancel">): void {
  const entry = decision.state.entries.get(command.pr);
  const { commandsEnabled, commandsDisabledBy } = decision.state.settings;
  if (command.via === "comment" && !commandsEnabled) {
    return decision.refuse({ code: "COMMANDS_DISABLED", by: commandsDisabledBy });
  }
  if (!entry) return decision.refuse({ code: "NOT_QUEUED", pr: command.pr });
  if (isMergeCalled(decision.state, entry.pr)) {
    return decision.refuse({ code: "MERGE_ALREADY_ORDERED", pr: entry.pr });
  }
  takeOut(decision, entry, "cancelled", cancellationReason(command.actor, command.via));
}

/**
 * Records the current facts of a pull request. A change that makes its tests worthless takes it out of the queue.
 *
 * @param isWanted somebody wants the pull request to be queued in its current state
 */
export function observePullRequest(
  decision: Decision,
  {
    pullRequest: facts,
    keepsSubmission = false,
    isRebase = false,
    isBelieved = false,
  }: Omit<InputOf<"pull_request_observed">, "type">,
  isWanted = false,
): void {
  const entry = decision.state.entries.get(facts.number);
  if (!entry || isMergeCalled(decision.state, facts.number)) return;
  // Another process may have recorded a change after this reading was judged. Only here is the state certainly current.
  if (!isBelieved && isOlder(facts, entry)) return;
  // It may be our own merge. The merge attempt reads the pull request again and finds out.
  if (facts.state === "merged" && wasMergeCalled(decision.state, facts.number)) return;
  if (isRebase && facts.headSha !== entry.headSha) {
    if (!isUnready(entry)) takeOut(decision, entry, "not_ready", { code: "REBASED", sha: facts.headSha });
    const moved = { pullRequest: facts, keepsSubmission: true, isBelieved };
    return observePullRequest(decision, moved, isWanted);
  }
  const baseBranch = isUnready(entry) && isIntoQueue(decision, facts) ? facts.baseBranch : entry.baseBranch;
  const headSha = keepsSubmission && isUnready(entry) ? facts.headSha : entry.headSha;
  const isMoved = headSha !== entry.headSha;
  const tested = { headSha, baseBranch, mergesStacked: mergesStacked(decision) };
  const withdrawal = namingTwin(decision, facts, withdrawalOf(tested, facts));
  // An entry that is not ready may stay a draft, or keep its objections.
  const end = isUnready(entry) && withdrawal && !endsUnready(withdrawal) ? null : withdrawal;
  const read = readinessOf(decision, facts);
  const readiness = isMoved ? read : steadied(entry, read);
  const stays = end === null || end.to === "not_ready";
  const isUnreadier = isUnready(entry) || end !== null;
  const { acceptedFromHead } = readiness;
  const noted = isUnreadier ? readiness : withAccepted(entry.readiness, acceptedFromHead);
  const isNew =
    isMoved ||
    entry.title !== facts.title ||
    !sameReadiness(entry.readiness, noted) ||
    (isWanted && entry.updatedAt !== undefined && entry.updatedAt !== facts.updatedAt);
  if (stays && isNew) {
    const moved = {
      ...(isMoved ? { headSha } : {}),
      ...(baseBranch === entry.baseBranch ? {} : { baseBranch }),
    };
    decision.record({
      type: "entry_observed",
      pr: entry.pr,
      title: facts.title,
      readiness: noted,
      ...changeTimeOf(facts),
      ...moved,
    });
  }
  if (end?.to === "merged" && absorbMerge(decision, facts, end.reason)) return;
  if (end) return takeOut(decision, decision.entry(entry.pr), end.to, end.reason);
  admitIfReady(decision, entry.pr);
}

/** GitHub also shows a pull request as merged when the queue merges another one with the same commit. */
function namingTwin(
  { state }: Decision,
  { number, headSha, mergedSha }: PullRequestFacts,
  withdrawal: Withdrawal | null,
): Withdrawal | null {
  if (withdrawal?.reason.code !== "MERGED_BY_OTHERS") return withdrawal;
  const merged = state.base.find(({ sha, pr }) => sha === mergedSha && pr !== null && pr !== number);
  const merging = state.merge?.steps.find((step) => step.headSha === headSha && step.pr !== number);
  const together = merged?.pr ?? merging?.pr;
  return { ...withdrawal, reason: { ...withdrawal.reason, ...(together ? { together } : {}) } };
}

function isOlder({ updatedAt = Infinity }: PullRequestFacts, entry: Entry): boolean {
  return entry.updatedAt !== undefined && updatedAt < entry.updatedAt;
}

function changeTimeOf({ updatedAt }: PullRequestFacts): { readonly updatedAt?: number } {
  return updatedAt === undefined ? {} : { updatedAt };
}

function endsUnready({ to, reason }: Withdrawal): boolean {
  return to !== "not_ready" && reason.code !== "CONVERTED_TO_DRAFT";
}

/** Cancels entries that did not become ready in time. */
export function expireUnready(decision: Decision): void {
  const timeoutMs = readinessTimeoutMs(decision.state.settings);
  for (const pr of decision.state.unready.values()) {
    const entry = decision.entry(pr);
    if (entry.stateChangedAt + timeoutMs > decision.context.now) return;
    takeOut(decision, entry, "cancelled", { code: "READINESS_TIMEOUT", hours: timeoutMs / 3_600_000 });
  }
}

function takeOut(decision: Decision, { pr }: Entry, to: Withdrawal["to"], reason: Reason): void {
  if (isBeingMerged(decision.state, pr)) recallMerge(decision);
  const others: Reason = { code: to === "merged" ? "AHEAD_MERGED_BY_HAND" : "AHEAD_CANCELLED", pr };
  leave(decision, decision.entry(pr), to, reason, others);
  if (to === "merged") releaseDependents(decision, pr);
}

/** Records the targets that a pull request impacts. In `parallel` mode, an entry in test is tested again, as its dependencies change. */
export function observeTargets(
  decision: Decision,
  { pr, headSha, targets }: InputOf<"targets_observed">,
): void {
  const entry = decision.state.entries.get(pr);
  if (entry?.headSha !== headSha || isMergeCalled(decision.state, pr)) return;
  if (entry.targets !== null && sameTargets(entry.targets, targets)) return;
  if (isBeingMerged(decision.state, pr)) recallMerge(decision);
  const isInTest = decision.policy.mayBeInTest(entry);
  if (isInTest && usesLanes(decision.state.settings)) testAgain(decision, pr, { code: "TARGETS_CHANGED" });
  decision.record({ type: "entry_targeted", pr, targets });
  // It was alone in its old lane. Whether it is alone in the new one is not known.
  if (entry.directOnto !== undefined) declineDirectMerge(decision, pr, "OVERTAKEN");
  admitIfReady(decision, pr);
}
