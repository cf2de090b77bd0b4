import type { Decision } from "../../decision.ts";
import type { ExplainLink } from "../../explain/explain-link.ts";
import type { Entry } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Policy } from "../../policy.ts";
import type { Reason } from "../../reasons/reason.ts";
import type { BeliefModel } from "./belief-model.ts";
import type { EntryEvidence } from "./belief-state.ts";

/** How a policy that uses beliefs arranges the entries that it tests: in lanes, or in blocks. */
export interface BeliefLayout {
  /** Returns the model of a state. All callers share one model until the state changes. */
  modelOf(state: QueueState): BeliefModel;
  /** Whether a waiting entry may start, so that the first waiting entries have to be tracked. */
  mayStart(state: QueueState): boolean;
  /** Does what the evidence allows: evicts entries, discards tests that are not needed, and orders a merge. */
  decide(decision: Decision): void;
  /** Requeues what delays urgent entries, and starts tests. */
  start(decision: Decision): void;
  /** Called when the pass of a run has been recorded. */
  runPassed(decision: Decision, run: TestRun): void;
  /** Updates the state of an entry to match its evidence and its runs. */
  align(decision: Decision, entry: Entry, evidence: EntryEvidence, because: Reason): void;
  /** Whether an entry that conflicts with entries ahead is held. Otherwise it is built on its transitive dependencies next. */
  holdsOnConflict(evidence: EntryEvidence | undefined): boolean;
  /** Why a waiting entry is not tested, from the outermost cause on. */
  waitLinks(
    model: BeliefModel,
    entry: Entry,
    evidence: EntryEvidence | undefined,
    now: number,
  ): readonly ExplainLink[];
  /** The outcomes of tests of an entry that do not prove it yet. */
  verdictLinks(state: QueueState, entry: Entry): readonly ExplainLink[];
}

export interface BeliefPolicy extends Policy {
  readonly layout: BeliefLayout;
}

/** @throws if the policy that decides does not use beliefs */
export function beliefLayoutOf({ policy }: Decision): BeliefLayout {
  if (!isBeliefPolicy(policy)) throw new Error(`the policy ${policy.name} does not use beliefs`);
  return policy.layout;
}

export function modelOf(decision: Decision): BeliefModel {
  return beliefLayoutOf(decision).modelOf(decision.state);
}

function isBeliefPolicy(policy: Policy): policy is BeliefPolicy {
  return "layout" in policy;
}
