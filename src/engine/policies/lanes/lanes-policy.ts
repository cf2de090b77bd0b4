import { behindText, type ExplainLink, link } from "../../explain/explain-link.ts";
import { leastBatch } from "../../model/capacity/slots.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import { settingInUse } from "../../model/settings.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import { beliefsOf, type EntryEvidence } from "../beliefs/belief-state.ts";
import { createBeliefPolicy } from "../beliefs/beliefs-policy.ts";
import { heldBackLink } from "../beliefs/explain-beliefs.ts";
import { considerWaiting } from "../beliefs/starting.ts";
import { evictEntry, reviseSuspects } from "../beliefs/suspicion.ts";
import { alignInLane, certifyTree, cull } from "./certifying.ts";
import { preemptible } from "./hedges.ts";
import { laneModelOf } from "./lane-model.ts";
import { startAdaptiveMerge } from "./merging.ts";
import { companyDeadline, interruptNeighbours, startTests } from "./starting.ts";

/** Estimates faults in `parallel` mode: an entry is tested on top of the entries ahead that impact a common target. */
export const lanes = createBeliefPolicy(
  { name: "lanes", nextDeadline: companyDeadline, mayMergeNext: () => true },
  {
    modelOf: laneModelOf,
    mayStart,
    decide(decision) {
      reviseSuspects(decision, laneModelOf(decision.state));
      evictEntry(decision, laneModelOf(decision.state));
      cull(decision, laneModelOf(decision.state));
      startAdaptiveMerge(decision, laneModelOf(decision.state));
    },
    start(decision) {
      considerWaiting(decision);
      interruptNeighbours(decision);
      considerWaiting(decision);
      startTests(decision);
    },
    runPassed: certifyTree,
    align: alignInLane,
    holdsOnConflict: (evidence) => evidence?.useTransitiveDependencies ?? false,
    waitLinks: laneWaitLinks,
    verdictLinks: () => [],
  },
);

/** Whether a slot is free, or can be taken from a hedge, or the first waiting entry is urgent. */
function mayStart(state: QueueState): boolean {
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (urgent && skipsTheLine(urgent) && !beliefsOf(state).tracks.has(urgent.pr)) return true;
  const model = laneModelOf(state);
  return model.slots.any > 0 || preemptible(model).length > 0;
}

/** Why a waiting entry is not tested. */
export function laneWaitLinks(
  model: BeliefModel,
  entry: Entry,
  evidence: EntryEvidence | undefined,
  now: number,
): readonly ExplainLink[] {
  return [startLink(model, entry, evidence, now), ...behindLinks(model, entry, evidence)];
}

function startLink(
  model: BeliefModel,
  entry: Entry,
  evidence: EntryEvidence | undefined,
  now: number,
): ExplainLink {
  const { state } = model;
  const minutes = settingInUse(state.settings, "batchingMaxWaitTimeMinutes");
  const until = entry.submittedAt + minutes * 60_000;
  const waitsForCompany =
    state.settings.batch && leastBatch(state.settings) > 1 && !entry.noBatch && !skipsTheLine(entry);
  const isDue = until <= now || evidence?.started || model.slots.main === 0;
  if (isDue || !waitsForCompany) return heldBackLink(model, entry, evidence);
  const text = `waits for more pull requests, to test ${settingInUse(state.settings, "batchingMinSize")} together`;
  return { ...link(entry, "BATCH_FILLING", text), until };
}

function behindLinks(model: BeliefModel, entry: Entry, evidence: EntryEvidence | undefined): ExplainLink[] {
  const next = evidence && model.ahead(evidence).find((other) => model.entry(other).state === "pending");
  return next ? [link(entry, "BEHIND", behindText(model.entry(next), entry), [`#${next.pr}`])] : [];
}
