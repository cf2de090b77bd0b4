import { TargetSet } from "../../../../src/engine/collections/target-set.ts";
import type { Decision } from "../../../../src/engine/decision.ts";
import { discard } from "../../../../src/engine/lifecycle/testing/run-end.ts";
import { testsOneAtATime, usableSlots } from "../../../../src/engine/model/capacity/slots.ts";
import type { Entry } from "../../../../src/engine/model/entry.ts";
import { settingInUse } from "../../../../src/engine/model/settings.ts";
import type { TestRun } from "../../../../src/engine/model/test-run.ts";
import type { BeliefModel } from "../../../../src/engine/policies/beliefs/belief-model.ts";
import { beliefsOf, type EntryEvidence } from "../../../../src/engine/policies/beliefs/belief-state.ts";
import { lastFailureAlone } from "../../../../src/engine/policies/beliefs/evidence.ts";
import { mergeEvidence } from "../../../../src/engine/policies/beliefs/evolve-beliefs.ts";
import { freeSlots } from "../../../../src/engine/policies/beliefs/slots.ts";
import { concludePass, realignEntry } from "../../../../src/engine/policies/beliefs/verdicts.ts";

import { hasRoom } from "../../../../src/engine/policies/blocks/blocks.ts";
import { makeWayForBlocks } from "../../../../src/engine/policies/blocks/settle-blocks.ts";
import type { ImpactIndex, Postings } from "../../../../src/engine/policies/lanes/impact-index.ts";
import { interruptNeighbours } from "../../../../src/engine/policies/lanes/starting.ts";

import type { Reason } from "../../../../src/engine/reasons/reason.ts";
import { type Defect, replace, skip } from "../mutation.ts";

type NeedsTest = (model: BeliefModel, track: EntryEvidence, ...others: unknown[]) => boolean;

/** Defects of the policies `lanes` and `blocks`, and of the beliefs that they share. */
export const beliefDefects: readonly Defect[] = [
  {
    name: "adaptive: an urgent pull request waits behind a frozen entry",
    mutations: [skip("makeWayForNeighbours", interruptNeighbours)],
    breaks: ["I22"],
    from: 168,
    settings: { policy: "beliefs", mode: "parallel" },
  },
  {
    name: "adaptive: an urgent pull request waits behind a frozen block",
    mutations: [skip(makeWayForBlocks)],
    breaks: ["I22"],
    from: 385,
    settings: { policy: "beliefs", mode: "single" },
  },
  {
    name: "adaptive: a proof outlives a merge that it did not contain",
    mutations: [
      replace(
        { name: "contains", beside: mergeEvidence },
        (_: (run: TestRun | undefined) => boolean) => () => true,
        mergeEvidence,
      ),
    ],
    breaks: ["I1"],
    settings: { policy: "beliefs", mode: "parallel" },
    from: 80,
  },
  {
    name: "adaptive: a failure together with undecided entries evicts",
    mutations: [
      replace(
        lastFailureAlone,
        () =>
          ({ reds }) =>
            reds.at(-1) ?? null,
      ),
    ],
    breaks: ["I13"],
    settings: { policy: "beliefs" },
    from: 131,
  },
  {
    name: "adaptive: a run counts although it lacks a merged dependency",
    mutations: [
      replace(
        "BeliefModel.evidence",
        (original: BeliefModel["evidence"]) =>
          function (this: BeliefModel, pr) {
            const track = original.call(this, pr);
            return track && { ...track, stale: [] };
          },
        concludePass,
      ),
    ],
    breaks: ["I1"],
    settings: { policy: "beliefs", mode: "parallel" },
    from: 350,
  },
  {
    name: "adaptive: an entry that lost its proof still counts as passed",
    mutations: [
      replace(
        "release",
        (original: (decision: Decision, entry: Entry, because: Reason) => void) =>
          (decision, entry, because) => {
            if (entry.state !== "tests_passed") original(decision, entry, because);
          },
        realignEntry,
      ),
    ],
    breaks: ["I18", "crash"],
    settings: { policy: "beliefs", mode: "parallel" },
    from: 356,
  },
  {
    name: "adaptive: an entry that was sent back without a failure is not retested",
    mutations: [
      replace(
        "needsTest",
        (original: NeedsTest) => (model, track, slots) =>
          track.reds.length > 0 && original(model, track, slots),
      ),
    ],
    breaks: ["I18"],
    settings: { policy: "beliefs", mode: "parallel" },
  },
  {
    name: "adaptive: runs that search for a culprit take no slot",
    mutations: [
      replace(freeSlots, (original) => (state, mostTests) => {
        const slots = original(state, mostTests);
        if (testsOneAtATime(state)) return slots;
        const { main, bisection } = state.runIndex.active;
        const left = Math.max(0, slots.all - main - bisection);
        const retest = Math.min(left, settingInUse(state.settings, "bisectionConcurrency"));
        return { ...slots, retest, any: Math.min(left, slots.main + retest) };
      }),
    ],
    breaks: ["I10"],
    settings: { policy: "beliefs" },
  },
  {
    name: "adaptive: a likely run starts without taking the slot of another run",
    mutations: [
      skip(discard, "takeSlot"),
      replace(
        freeSlots,
        (original) => (state, mostTests) => ({ ...original(state, mostTests), main: 1 }),
        "takeSlot",
      ),
    ],
    breaks: ["I10"],
    settings: { policy: "beliefs", mode: "single" },
  },
  {
    name: "adaptive: no block is formed behind a failed one",
    mutations: [
      replace(
        hasRoom,
        (original) => (state) => original(state) && beliefsOf(state).blocksFormed < usableSlots(state),
      ),
    ],
    breaks: ["I18"],
    settings: { policy: "beliefs", mode: "single" },
  },
  {
    name: "adaptive: overlapping entries are not found",
    mutations: [
      replace(
        "ImpactIndex.overlapping",
        (original: ImpactIndex["overlapping"]) =>
          function (this: ImpactIndex, targets) {
            return original.call(this, targets === "ALL" ? targets : TargetSet.of([...targets].slice(1)));
          },
      ),
    ],
    breaks: ["I1"],
    settings: { policy: "beliefs", mode: "parallel" },
  },
  {
    name: "adaptive: the impact index forgets another entry than the one that left",
    mutations: [
      replace(
        "Postings.remove",
        (original: Postings["remove"]) =>
          function (this: Postings, target, pr) {
            const found = new Set<number>();
            this.collect(target, found);
            const [first = pr] = found;
            original.call(this, target, first);
          },
      ),
    ],
    breaks: ["I1", "I16"],
    settings: { policy: "beliefs", mode: "parallel" },
  },
];
