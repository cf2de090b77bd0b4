import type { Decision } from "../../decision.ts";
import { isFrozen } from "../../model/order/dependencies.ts";
import { requireBaseTip, startsTests } from "../../model/queue.ts";
import type { StartedRun } from "../../model/test-run.ts";
import { beliefLayoutOf } from "./belief-layout.ts";
import type { BeliefModel } from "./belief-model.ts";
import { beliefsOf, type EntryEvidence } from "./belief-state.ts";
import { evidenceIndexOf, placesIn } from "./evidence.ts";

/** The number of waiting entries that are considered for each free slot. */
const perSlot = 16;
/** The number of waiting entries that are considered in addition. */
const always = 64;
/**
 * How many further entries are considered in advance at an input, as if all slots were free: exactly this number, or none. Each costs time
 * in proportion to its targets, and fewer are not worth copying the lists of all their neighbours.
 */
const perInput = 8;

/** Starts to track the first waiting entries if one of them may be tested next. */
export function considerWaiting(decision: Decision): void {
  const { mayStart, modelOf } = beliefLayoutOf(decision);
  if (!startsTests(decision.state.status) || !mayStart(decision.state)) return;
  const { waiting, direct } = decision.state;
  const { all } = evidenceIndexOf(beliefsOf(decision.state).tracks);
  const { slots } = modelOf(decision.state);
  const near = always + perSlot * slots.any;
  const horizon = always + perSlot * slots.all;
  const most = decision.events.some(({ data }) => data.type === "entries_considered") ? 0 : perInput;
  const unknown: number[] = [];
  const further: number[] = [];
  for (const [pr, place] of placesIn(waiting)) {
    if (all.has(pr)) continue;
    if (place >= horizon || (place >= near && further.length >= most)) break;
    (place < near ? unknown : further).push(pr);
  }
  if (further.length === perInput) unknown.push(...further);
  // An entry that may merge without a test is tracked, because its dependents wait for it.
  for (const pr of direct.values()) if (!all.has(pr)) unknown.push(pr);
  if (unknown.length > 0) decision.record({ type: "entries_considered", prs: unknown });
}

/** Starts a test run on the current base. Members in `pending_failure` are `pending` again until the test commit is built. */
export function startRun(
  decision: Decision,
  run: Pick<StartedRun, "kind" | "ahead" | "members" | "block" | "hedge">,
): void {
  const { state, context } = decision;
  for (const pr of run.members) {
    const entry = decision.entry(pr);
    if (entry.state === "pending_failure") decision.move(entry, "pending", { code: "RETESTED" });
  }
  decision.record({
    type: "run_started",
    run: {
      id: context.newId(),
      bisectionId: null,
      method: state.settings.mergeMethod,
      base: requireBaseTip(state),
      ...run,
    },
  });
}

/**
 * Whether an entry has failed on top of only passed entries, which merge when the freeze ends. It can be judged only after their merge.
 * Until then, the entry would pass without them and fail on top of them again and again.
 */
export function hasFailedOnFrozen(model: BeliefModel, evidence: EntryEvidence): boolean {
  if (!isFrozen(model.state, model.entry(evidence))) return false;
  return evidence.reds.some(({ others }) => others.length > 0 && others.every((pr) => isPassed(model, pr)));
}

function isPassed(model: BeliefModel, pr: number): boolean {
  return model.state.entries.get(pr)?.state === "tests_passed";
}
