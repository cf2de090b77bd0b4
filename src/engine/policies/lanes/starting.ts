import type { Decision } from "../../decision.ts";
import { discard } from "../../lifecycle/run-end.ts";
import { leastBatch } from "../../model/batch-size.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import type { Hedge, TestRun } from "../../model/test-run.ts";
import type { Track } from "../beliefs/adaptive-state.ts";
import { hasFailedOnFrozen } from "../beliefs/frozen-failures.ts";
import { Scene } from "../beliefs/scene.ts";
import { freeSlots, idleSlots } from "../beliefs/slots.ts";
import { startRun } from "../beliefs/start-run.ts";
import { placesIn } from "../beliefs/track-index.ts";
import { pack } from "./grouping.ts";
import { hedgedTree, hedges, mayHedge, preemptible } from "./hedges.ts";
import { isFree, retests } from "./retests.ts";

/** Fills the slots: with what has to be tested again, then with what has not been tested, then with hedges. */
export function startTests(decision: Decision): void {
  if (!startsTests(decision.state.status) || baseTip(decision.state) === null) return;
  const scene = Scene.of(decision.state);
  const slots = freeSlots(decision.state);
  const free = slots.any;
  if (free === 0 && preemptible(scene).length === 0) return;
  const again = retests(scene, slots);
  // Without a main slot it only matters whether more is wanted than there are slots.
  const enough =
    slots.main > 0
      ? Number.POSITIVE_INFINITY
      : Math.max(0, free + preemptible(scene).length + 1 - again.length);
  const fresh = freshEntries(scene, enough);
  const demand = again.length + fresh.length;
  if (demand > free && preempt(decision, scene, demand - free)) return;
  const scarce = demand > free;
  const retested = pack(scene, again, { free, scarce, atLeast: null });
  for (const group of retested.groups) launch(decision, scene, group, { kind: "retest" });
  startFresh(decision, scene, fresh, scarce);
  if (demand === 0 || !scarce) startHedges(decision);
}

function startFresh(decision: Decision, scene: Scene, fresh: readonly Track[], scarce: boolean): void {
  const { main: free } = freeSlots(decision.state);
  const size = leastBatch(decision.state.settings);
  const atLeast = { size, now: decision.context.now };
  const { groups } = pack(scene, fresh, { free, scarce, atLeast });
  for (const group of groups) launch(decision, scene, group, { kind: "fresh" });
}

/** What has not been a member of a run, in order. */
export function freshEntries(scene: Scene, atMost = Number.POSITIVE_INFINITY): Track[] {
  const { waiting, direct } = scene.state;
  const found: Track[] = [];
  for (const pr of placesIn(waiting).keys()) {
    if (found.length >= atMost) break;
    const track = scene.track(pr);
    if (!track || track.started || !isFree(scene, track)) continue;
    if (direct.size > 0 && scene.ahead(track).some((other) => scene.isExamined(other))) continue;
    found.push(track);
  }
  return found;
}

/** Takes slots from hedges; whether there was one to take. */
function preempt(decision: Decision, scene: Scene, count: number): boolean {
  const runs = preemptible(scene).slice(0, count);
  for (const run of runs) discard(decision, run, { code: "SLOT_NEEDED" });
  return runs.length > 0;
}

function startHedges(decision: Decision): void {
  const scene = Scene.of(decision.state);
  if (!mayHedge(scene, decision.context.now)) return;
  let idle = idleSlots(freeSlots(decision.state));
  if (idle === 0) return;
  for (const plan of hedges(scene)) {
    if (idle <= 0) return;
    if (!isFree(scene, plan.track) || hasFailedOnFrozen(scene, plan.track)) continue;
    const ahead = hedgedTree(scene, plan);
    if (!ahead) continue;
    const hedge = { value: plan.value, against: plan.against?.pr ?? null };
    launch(decision, scene, [plan.track], { kind: "hedge", ahead, hedge });
    idle -= 1;
  }
}

type Launch =
  | { readonly kind: "fresh" | "retest" }
  | { readonly kind: "hedge"; readonly ahead: readonly number[]; readonly hedge: Hedge };

function launch(decision: Decision, scene: Scene, group: readonly Track[], what: Launch): void {
  const { state } = decision;
  const tree =
    what.kind === "hedge" ? { ahead: what.ahead, members: group.map(({ pr }) => pr) } : scene.tree(group);
  const kind: TestRun["kind"] = what.kind === "retest" && freeSlots(state).retest > 0 ? "bisection" : "main";
  startRun(decision, { kind, ...tree, ...(what.kind === "hedge" ? { hedge: what.hedge } : {}) });
}

/** When the next batch starts although it is not complete; null if no entry waits for company. */
export function companyDeadline(state: QueueState): number | null {
  const size = leastBatch(state.settings);
  const slots = freeSlots(state);
  const { main: free } = slots;
  if (!state.settings.batch || size <= 1 || free === 0) return null;
  const scene = Scene.of(state);
  const fresh = freshEntries(scene);
  const scarce = retests(scene, slots).length + fresh.length > slots.any;
  const atLeast = { size, now: Number.NEGATIVE_INFINITY };
  return pack(scene, fresh, { free, scarce, atLeast }).deadline;
}
