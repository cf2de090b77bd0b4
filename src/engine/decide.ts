import { assertNever } from "./assert-never.ts";
import { Decision } from "./decision.ts";
import { endFreeze, observeFreeze, settleStall } from "./lifecycle/merging/freeze.ts";
import {
  callMerge,
  concludeMerge,
  noteRequest,
  observeBase,
  takeBackCall,
} from "./lifecycle/merging/merging.ts";
import { concludeExamination } from "./lifecycle/merging/ordered-merge.ts";
import { chooseStrategy, configure, createQueue, deleteQueue } from "./lifecycle/modes.ts";
import { observePlace, observeReach } from "./lifecycle/obstacle.ts";
import { restart } from "./lifecycle/requeue.ts";
import {
  cancel,
  expireUnready,
  observePullRequest,
  observeTargets,
  submit,
} from "./lifecycle/submission/admission.ts";

import { retestBase, startBaseTest, stopBaseTest } from "./lifecycle/testing/base-test.ts";
import { concludeBuild, postpone } from "./lifecycle/testing/build.ts";
import { concludeChecks, concludeRetry } from "./lifecycle/testing/conclusion.ts";
import { observeRequirements } from "./lifecycle/testing/requirements.ts";
import { expireRuns } from "./lifecycle/testing/timeout.ts";
import {
  askForTry,
  cancelTry,
  endTryOfSubmitted,
  observeTried,
  settleTries,
} from "./lifecycle/testing/tries.ts";
import type { Entry } from "./model/entry.ts";
import type { Event } from "./model/event.ts";
import type { Context, Input } from "./model/input.ts";
import type { QueueState } from "./model/queue.ts";
import type { Refusal } from "./model/refusal.ts";
import type { Strategy } from "./model/settings.ts";
import { policyOf } from "./policies/policy-of.ts";

export interface Decided {
  readonly events: readonly Event[];
  /** The state after the events. */
  readonly state: QueueState;
  readonly refusal: Refusal | null;
  /** The entries that the events are about, as they are after the events, including ended ones. */
  readonly touched: ReadonlyMap<number, Entry>;
}

/** Returns the events that follow from an input. Pure: the same state, input and context give the same events. */
export function decide(state: QueueState, input: Input, context: Context): Decided {
  const decision = new Decision(state, context, policyOf);
  if (state.deleted && input.type !== "create_queue") {
    // The outcome of an effect may arrive after the queue was deleted. It changes nothing.
    if ("actor" in input) decision.refuse({ code: "QUEUE_NOT_FOUND", branch: state.branch });
    return decision;
  }
  dispatchInput(decision, input);
  if (!decision.refusal && !decision.state.deleted) {
    endFreeze(decision);
    // Otherwise, tests of entries would take the only slot again and again.
    retestBase(decision);
    settleByStrategy(decision, input);
    // The slot of a base test that is not needed any more is free for entries.
    if (stopBaseTest(decision)) settleByStrategy(decision, input);
    startBaseTest(decision);
    settleTries(decision);
    settleStall(decision, input);
  }
  return decision;
}

/** Settles the queue. If the strategy changes, the new one settles it, too. */
function settleByStrategy(decision: Decision, input: Input): void {
  for (let before: Strategy | null = null; before !== decision.state.strategy; ) {
    chooseStrategy(decision);
    before = decision.state.strategy;
    decision.policy.settle(decision, input);
    chooseStrategy(decision);
  }
}

function dispatchInput(decision: Decision, input: Input): void {
  switch (input.type) {
    case "create_queue":
      return createQueue(decision, input);
    case "configure":
      return configure(decision, input);
    case "delete_queue":
      return deleteQueue(decision, input);
    case "submit":
      submit(decision, input);
      return endTryOfSubmitted(decision, input.pullRequest.number);
    case "try":
      return askForTry(decision, input);
    case "cancel_try":
      return cancelTry(decision, input);
    case "cancel":
      return cancel(decision, input);
    case "restart":
      return restart(decision, input);
    case "pull_request_observed":
      observeTried(decision, input.pullRequest);
      return observePullRequest(decision, input);
    case "targets_observed":
      return observeTargets(decision, input);
    case "base_observed":
      return observeBase(decision, input);
    case "requirements_observed":
      return observeRequirements(decision, input);
    case "test_commit_concluded":
      return concludeBuild(decision, input);
    case "checks_observed":
      return concludeChecks(decision, input);
    case "retry_refused":
      return concludeRetry(decision, input);
    case "head_examined":
      return concludeExamination(decision, input);
    case "merge_calling":
      return callMerge(decision, input);
    case "merge_requested":
      return noteRequest(decision, input);
    case "merge_not_done":
      return takeBackCall(decision, input);
    case "merge_concluded":
      return concludeMerge(decision, input);
    case "work_postponed":
      return postpone(decision, input);
    case "reach_observed":
      return observeReach(decision, input);
    case "freeze_observed":
      return observeFreeze(decision, input);
    case "place_observed":
      return observePlace(decision, input);
    case "clock":
      expireUnready(decision);
      return expireRuns(decision);
    default:
      return assertNever(input);
  }
}
