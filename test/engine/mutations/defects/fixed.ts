import { nextDeadline } from "../../../../src/engine/deadline.ts";
import type { Decision } from "../../../../src/engine/decision.ts";
import { waitsForBase } from "../../../../src/engine/lifecycle/testing/base-test.ts";
import { type Entry, skipsTheLine } from "../../../../src/engine/model/entry.ts";
import { goodAhead, isComposed, remainingAhead } from "../../../../src/engine/model/order/dependencies.ts";
import { type QueueState, runOf } from "../../../../src/engine/model/queue.ts";
import { areSeparate, requireMembers, type TestRun } from "../../../../src/engine/model/test-run.ts";
import { nextBatch } from "../../../../src/engine/policies/fixed/batching.ts";
import { breakOff, narrow } from "../../../../src/engine/policies/fixed/bisection.ts";
import type { Bisection } from "../../../../src/engine/policies/fixed/fixed-fold.ts";
import { entryLeaves, requeue, requeueFollowers } from "../../../../src/engine/policies/fixed/leaving.ts";
import { finishMerged, startMerge } from "../../../../src/engine/policies/fixed/merging.ts";
import { startRuns } from "../../../../src/engine/policies/fixed/speculation.ts";
import {
  clearEntry,
  decidePendingFailures,
  mayBeDoubted,
  runPassed,
  successorsOf,
} from "../../../../src/engine/policies/fixed/verdicts.ts";

import { type Defect, replace, skip, underSettings } from "../mutation.ts";

type Gather = (
  state: QueueState,
  seed: Entry,
  waiting: readonly Entry[],
  options: { readonly blocking: readonly Entry[]; readonly size: number },
) => unknown;

/** Defects of the policy `fixed`: speculation, batches, bisections, verdicts and doubt. */
export const fixedDefects: readonly Defect[] = [
  {
    name: "a run is not built on the entries ahead of it",
    mutations: [
      replace(
        goodAhead,
        (original) =>
          (...entries) =>
            original(...entries).slice(1),
        startRuns,
      ),
    ],
    breaks: ["I18"],
    from: 159,
  },
  {
    name: "a merge expects the base on which its run started",
    mutations: [
      replace(
        "Decision.record",
        (original: Decision["record"]) =>
          function (this: Decision, data) {
            if (data.type !== "merge_started") return original.call(this, data);
            const { attempt } = data;
            const run = this.state.runs.get(attempt.steps[0]?.runId ?? "");
            original.call(this, { ...data, attempt: { ...attempt, base: run?.base ?? attempt.base } });
          },
        startMerge,
      ),
    ],
    breaks: ["I2"],
  },
  {
    name: "an entry fails although something ahead is undecided",
    mutations: [
      replace(
        remainingAhead,
        (original) =>
          (...run) =>
            original(...run) && [],
        decidePendingFailures,
      ),
    ],
    breaks: ["I13"],
  },
  {
    name: "an entry merges before one ahead on which it depends",
    mutations: [replace("runDependsOnAny", (_: () => boolean) => () => false)],
    breaks: ["I11"],
    from: 37,
  },
  {
    name: "a batch grows beyond its size",
    mutations: [
      replace(
        "gather",
        (original: Gather) =>
          (state, seed, waiting, { blocking, size }) =>
            original(state, seed, waiting, { blocking, size: size > 1 ? size + 1 : size }),
      ),
    ],
    breaks: ["I10"],
  },
  {
    name: "an urgent entry joins a batch",
    mutations: [
      replace(
        { name: "goesAlone", beside: nextBatch },
        (_: (entry: Entry) => boolean) => (entry) => entry.noBatch && skipsTheLine(entry),
      ),
    ],
    breaks: ["I10", "I19"],
  },
  {
    name: "bisection blames the wrong member",
    mutations: [
      replace(
        { name: "conclude", beside: narrow },
        (original: (decision: Decision, bisection: Bisection) => void) => (decision, bisection) =>
          original(decision, {
            ...bisection,
            members: requireMembers(withFirstAt(bisection.green, bisection.members)),
          }),
      ),
    ],
    breaks: ["I8", "I13", "crash"],
    from: 20,
  },
  {
    name: "bisection treats a failed prefix as passed",
    mutations: [
      replace(
        narrow,
        (original) => (decision, run, _verdict, reason) => original(decision, run, "passed", reason),
      ),
    ],
    breaks: ["I1", "I13"],
    from: 18,
  },
  {
    name: "a successor's pass counts for entries that it does not contain",
    mutations: [replace(remainingAhead, () => (state) => [...state.line], "vouchForAhead")],
    breaks: ["I12"],
  },
  {
    name: "the pass of a successor counts although optimistic merging is off",
    mutations: [
      replace(
        runPassed,
        (original) => (decision, run) =>
          underSettings(decision, { canOptimisticallyMerge: true }, () => original(decision, run)),
      ),
    ],
    breaks: ["I1"],
  },
  {
    name: "a merge does not send back dependent entries that were tested without it",
    mutations: [skip("sendBackStrangers", finishMerged)],
    breaks: ["I1", "I18"],
    settings: { mode: "parallel" },
    from: 2300,
  },
  {
    name: "an entry is sent back, but not every run that contains it",
    mutations: [
      replace(requeueFollowers, () => (decision, pr, reason) => {
        for (const { entry, run } of decision.state.line.entries) {
          const live = decision.state.entries.get(entry.pr);
          if (run?.ahead.at(-1) === pr && live && runOf(decision.state, live))
            requeue(decision, live, reason);
        }
      }),
    ],
    breaks: ["I1", "I13", "I18"],
  },
  {
    name: "a bisection continues after a member has left",
    mutations: [skip(breakOff, entryLeaves)],
    breaks: ["I8", "I15", "I18", "I19", "I24"],
  },
  {
    name: "a pull request is removed without a test of the base, although nothing has passed since its first failure",
    mutations: [replace(waitsForBase, () => () => false)],
    breaks: ["I27"],
    settings: { policy: "adaptive" },
  },
  {
    name: "a pass after the second failure is enough to remove a pull request",
    mutations: [replace(areSeparate, () => () => true)],
    breaks: ["I27"],
    settings: { policy: "adaptive" },
  },
  {
    name: "failures of a pull request are doubted more than three times",
    mutations: [
      replace(
        mayBeDoubted,
        () =>
          ({ doubted }) =>
            doubted === undefined,
      ),
    ],
    breaks: ["I26"],
    settings: { policy: "adaptive" },
    from: 21_500,
  },
  {
    name: "urgent entries interrupt one another",
    mutations: [
      replace(
        "isInterruptible",
        (original: (state: QueueState, entry: Entry) => boolean) => (state, entry) => {
          const isTested = entry.runId !== null || entry.bisectionId !== null;
          const isUnderTest = entry.state === "testing" || (entry.state === "pending" && isTested);
          return isUnderTest || original(state, entry);
        },
      ),
    ],
    breaks: ["I25"],
  },
  {
    name: "a pending failure does not end when its successor fails",
    mutations: [
      replace(
        "decideFailure",
        (original: (decision: Decision, entry: Entry, run: TestRun) => void) => (decision, entry, run) => {
          const { pendingFailureDepth: depth } = decision.state.settings;
          const successors = [...successorsOf(decision.state, run)];
          const hasPassed = successors.some(({ state }) => state === "passed");
          if (hasPassed || successors.slice(0, depth).length === 0) original(decision, entry, run);
        },
      ),
    ],
    breaks: ["I18"],
  },
  {
    name: "a doubted entry that is retested blocks the others",
    mutations: [
      replace("goodEntries", (original: (state: QueueState) => unknown) => (state) => {
        const entries = state.line.entries.map(({ entry, run }) => {
          const { doubted: _, ...trusted } = entry;
          return { entry: trusted, run };
        });
        return original({ ...state, line: Object.create(state.line, { entries: { value: entries } }) });
      }),
      // The alarm of a queue that merges nothing would wake it.
      replace(nextDeadline, (original) => (state) => original({ ...state, lull: null })),
    ],
    breaks: ["I11", "I18", "I19"],
    settings: { policy: "adaptive", concurrency: 4 },
  },
  {
    name: "a doubted entry passes although others merged before it in the meantime",
    mutations: [
      replace(isComposed, () => () => false, clearEntry),
      replace("isBeingOvertaken", (_: () => boolean) => () => false, clearEntry),
    ],
    breaks: ["I1", "I18", "I28", "crash"],
    settings: { policy: "adaptive", concurrency: 4, mode: "single" },
  },
];

/** Exchanges the first member and the one at an index. */
function withFirstAt(index: number, members: readonly number[]): number[] {
  const [first, other] = [members[0], members[index]];
  return members.map((pr) => (pr === first ? (other ?? pr) : pr === other ? (first ?? pr) : pr));
}
