import type { Decision } from "../../decision.ts";
import { sendBack } from "../../lifecycle/requeue.ts";
import { discard } from "../../lifecycle/testing/run-end.ts";
import { leastBatch } from "../../model/capacity/slots.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { isBeingMerged, mayBeSentBackInFreeze } from "../../model/order/dependencies.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import { type Hedge, requireMembers, type TestRun } from "../../model/test-run.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import { beliefsOf, type EntryEvidence } from "../beliefs/belief-state.ts";
import { placesIn } from "../beliefs/evidence.ts";
import { idleSlots } from "../beliefs/slots.ts";
import { hasFailedOnFrozen, startRun } from "../beliefs/starting.ts";
import { pack } from "./grouping.ts";
import { hedgedTree, mayHedge, preemptible, speculativeRuns } from "./hedges.ts";
import { laneModelOf } from "./lane-model.ts";
import { isFree, retests } from "./retests.ts";

/** Fills the slots: first with entries to test again, then with entries not tested before, then with hedges. */
export function startTests(decision: Decision): void {
  if (!startsTests(decision.state.status) || baseTip(decision.state) === null) return;
  const model = laneModelOf(decision.state);
  const slots = laneModelOf(decision.state).slots;
  const free = slots.any;
  if (free === 0 && preemptible(model).length === 0) return;
  const again = retests(model, slots);
  // Without a main slot, it only matters whether the demand exceeds the slots.
  const enough =
    slots.main > 0
      ? Number.POSITIVE_INFINITY
      : Math.max(0, free + preemptible(model).length + 1 - again.length);
  const fresh = freshEntries(model, enough);
  const demand = again.length + fresh.length;
  if (demand > free && preempt(decision, model, demand - free)) return;
  const scarce = demand > free;
  const retested = pack(model, again, { free, scarce, atLeast: null });
  for (const group of retested.groups) launch(decision, model, group, { kind: "retest" });
  startFresh(decision, model, fresh, scarce);
  if (demand === 0 || !scarce) startHedges(decision);
}

function startFresh(
  decision: Decision,
  model: BeliefModel,
  fresh: readonly EntryEvidence[],
  scarce: boolean,
): void {
  const { main: free } = laneModelOf(decision.state).slots;
  const size = leastBatch(decision.state.settings);
  const atLeast = { size, now: decision.context.now };
  const { groups } = pack(model, fresh, { free, scarce, atLeast });
  for (const group of groups) launch(decision, model, group, { kind: "fresh" });
}

/** Returns the waiting entries that have not been a member of a run, in order. */
export function freshEntries(model: BeliefModel, atMost = Number.POSITIVE_INFINITY): EntryEvidence[] {
  const { waiting, direct } = model.state;
  const found: EntryEvidence[] = [];
  for (const pr of placesIn(waiting).keys()) {
    if (found.length >= atMost) break;
    const evidence = model.evidence(pr);
    if (!evidence || evidence.started || !isFree(model, evidence)) continue;
    if (direct.size > 0 && model.ahead(evidence).some((other) => model.isExamined(other))) continue;
    found.push(evidence);
  }
  return found;
}

/** Discards hedges to free their slots. Returns whether there was one. */
function preempt(decision: Decision, model: BeliefModel, count: number): boolean {
  const runs = preemptible(model).slice(0, count);
  for (const run of runs) discard(decision, run, { code: "SLOT_NEEDED" });
  return runs.length > 0;
}

function startHedges(decision: Decision): void {
  const model = laneModelOf(decision.state);
  if (!mayHedge(model, decision.context.now)) return;
  let idle = idleSlots(laneModelOf(decision.state).slots);
  if (idle === 0) return;
  for (const plan of speculativeRuns(model)) {
    if (idle <= 0) return;
    if (!isFree(model, plan.evidence) || hasFailedOnFrozen(model, plan.evidence)) continue;
    const ahead = hedgedTree(model, plan);
    if (!ahead) continue;
    const hedge = { value: plan.value, against: plan.against?.pr ?? null };
    launch(decision, model, [plan.evidence], { kind: "hedge", ahead, hedge });
    idle -= 1;
  }
}

type Launch =
  | { readonly kind: "fresh" | "retest" }
  | { readonly kind: "hedge"; readonly ahead: readonly number[]; readonly hedge: Hedge };

function launch(decision: Decision, model: BeliefModel, group: readonly EntryEvidence[], what: Launch): void {
  const { state } = decision;
  const tree =
    what.kind === "hedge" ? { ahead: what.ahead, members: group.map(({ pr }) => pr) } : model.tree(group);
  const kind: TestRun["kind"] =
    what.kind === "retest" && laneModelOf(state).slots.retest > 0 ? "bisection" : "main";
  const run = { kind, ahead: tree.ahead, members: requireMembers(tree.members) };
  startRun(decision, { ...run, ...(what.kind === "hedge" ? { hedge: what.hedge } : {}) });
}

/** Returns when the next batch starts even if it is incomplete, in milliseconds since the epoch; null if no batch is filling. */
export function companyDeadline(state: QueueState): number | null {
  const size = leastBatch(state.settings);
  const slots = laneModelOf(state).slots;
  const { main: free } = slots;
  if (!state.settings.batch || size <= 1 || free === 0) return null;
  const model = laneModelOf(state);
  const fresh = freshEntries(model);
  const scarce = retests(model, slots).length + fresh.length > slots.any;
  const atLeast = { size, now: Number.NEGATIVE_INFINITY };
  return pack(model, fresh, { free, scarce, atLeast }).deadline;
}

/** Makes way for an urgent entry: requeues its neighbours that are under test, so that they are tested behind it. */
export function interruptNeighbours(decision: Decision): void {
  const { state } = decision;
  if (!startsTests(state.status)) return;
  if (state.freeze !== null) makeWayForNeighbours(decision);
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (!urgent || !skipsTheLine(urgent)) return;
  const model = laneModelOf(state);
  const [evidence] = freshEntries(model, 1);
  // Interrupting others would not help an entry that cannot start.
  if (evidence?.pr !== urgent.pr) return;
  for (const pr of evidence.neighbours) {
    const entry = decision.state.entries.get(pr);
    if (!entry || skipsTheLine(entry) || !isUnderTest(entry)) continue;
    sendBack(decision, entry, { code: "INTERRUPTED_BY_URGENT", pr: urgent.pr });
  }
}

function isUnderTest({ state, runId }: Entry): boolean {
  return state === "testing" || (state === "pending" && runId !== null);
}

/** During a freeze, requeues the entries that precede an urgent entry and may merge only after the freeze. */
function makeWayForNeighbours(decision: Decision): void {
  const first = decision.state.waiting.first();
  for (const { pr, place } of beliefsOf(decision.state).tracks.values()) {
    const urgent = decision.state.entries.get(pr);
    const isNext = place !== null || pr === first;
    if (!isNext || !urgent || !skipsTheLine(urgent) || isBeingMerged(decision.state, pr)) continue;
    for (let other = inTheWayOf(decision, pr); other; other = inTheWayOf(decision, pr))
      sendBack(decision, other, { code: "INTERRUPTED_BY_URGENT", pr });
  }
}

/** Returns one entry that is in the way of an urgent one. Called again after each requeue, which may requeue others, too. */
function inTheWayOf({ state }: Decision, pr: number): Entry | null {
  const model = laneModelOf(state);
  const evidence = model.evidence(pr);
  // An entry without a place is behind every urgent entry already.
  const isInTheWay = (other: EntryEvidence) =>
    other.place !== null && mayBeSentBackInFreeze(state, model.entry(other));
  const found = evidence && model.ahead(evidence).find(isInTheWay);
  return found ? model.entry(found) : null;
}
