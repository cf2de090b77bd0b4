import { nextDeadline } from "../../../../src/engine/deadline.ts";
import { orderKey } from "../../../../src/engine/fold/entry-index.ts";
import { withRun } from "../../../../src/engine/fold/run-index.ts";
import { freeSlots } from "../../../../src/engine/model/capacity/slots.ts";
import { effectsOf } from "../../../../src/engine/model/effect.ts";
import type { Entry } from "../../../../src/engine/model/entry.ts";
import { isComposed, mergedSince } from "../../../../src/engine/model/order/dependencies.ts";
import {
  merges,
  noQueue,
  type QueueState,
  type RunIndex,
  startsTests,
} from "../../../../src/engine/model/queue.ts";

import { overlap } from "../../../../src/engine/model/targets.ts";
import type { TestRun } from "../../../../src/engine/model/test-run.ts";
import { restoreState } from "../../../../src/engine/snapshot.ts";
import { type Defect, replace } from "../mutation.ts";

type ForgetRun = (index: RunIndex, run: TestRun) => RunIndex;
type Explain = (state: QueueState, entry: Entry) => unknown;

/** Defects of the state, its fold and its indexes, and of what is read from it: effects, deadlines, explanations and snapshots. */
export const modelDefects: readonly Defect[] = [
  {
    name: "a build is never ordered",
    mutations: [withoutEffect("build_test_commit")],
    breaks: ["I18"],
  },
  {
    name: "a test branch is never removed",
    mutations: [withoutEffect("remove_test_branch")],
    breaks: ["I18"],
  },
  {
    name: "a pull request whose mergeability is unknown is not read again",
    mutations: [withoutEffect("observe_pull_request")],
    breaks: ["I18"],
    from: 23,
  },
  {
    name: "more runs than slots are active",
    mutations: [replace(freeSlots, (original) => (state) => original(state) + 1)],
    breaks: ["I10", "I23"],
  },
  {
    name: "a slot is never given back",
    mutations: [
      replace({ name: "unindexed", beside: withRun }, (original: ForgetRun) => (index, run) => ({
        ...original(index, run),
        active: index.active,
      })),
    ],
    breaks: ["I18", "I19"],
    from: 2,
  },
  {
    name: "a paused queue merges",
    mutations: [
      replace(
        merges,
        () =>
          ({ status, next }) =>
            status !== "draining" || next?.status !== "paused",
      ),
    ],
    breaks: ["I14"],
  },
  {
    name: "a draining queue starts tests",
    mutations: [replace(startsTests, () => (status) => status === "running" || status === "draining")],
    breaks: ["I14"],
  },
  {
    name: "the entry that was submitted last goes first",
    mutations: [
      replace(orderKey, (original) => (entry) => {
        const [rank, , pr] = original(entry);
        return [rank, -entry.submittedAt, pr];
      }),
    ],
    breaks: ["I11"],
  },
  {
    name: "a snapshot forgets the bisections",
    mutations: [
      replace(
        restoreState,
        (original) => (snapshot, targets) =>
          original({ ...snapshot, policyMemory: { ...snapshot.policyMemory, bisections: [] } }, targets),
      ),
    ],
    breaks: ["I16"],
    from: 378,
  },
  {
    name: "an entry held behind one other entry counts as waiting",
    mutations: [
      replace(
        { name: "placeOf", beside: orderKey },
        (original: (entry: Entry) => string | null) => (entry) =>
          entry.heldBehind.length === 1 && original(entry) === "held" ? "waiting" : original(entry),
      ),
    ],
    breaks: ["I19", "I18", "I11", "I13", "I26"],
    from: 30,
  },
  {
    name: "a base that was forced back is not found again",
    mutations: [
      replace(mergedSince, () => ({ base }, run) => {
        const first = base.findIndex(({ sha }) => sha === run.base);
        return first < 0 ? null : base.slice(first + 1);
      }),
    ],
    breaks: ["I18"],
    from: 92,
  },
  {
    name: "a merge is not composed with those that merged in between",
    mutations: [
      replace(isComposed, () => (state, { base, ahead, members }) => {
        const since = state.base.slice(state.base.findLastIndex(({ sha }) => sha === base) + 1);
        return since.some(({ pr }) => pr === null || [...ahead, ...members].includes(pr));
      }),
    ],
    breaks: ["I20"],
  },
  {
    name: "two entries that impact all targets do not depend on each other",
    mutations: [
      replace(overlap, (original) => (a, b) => (a === "ALL" && b === "ALL" ? false : original(a, b))),
    ],
    breaks: ["I1", "I11"],
    from: 1089,
  },
  {
    name: "the queue is not woken when a test run is late",
    mutations: [
      replace(nextDeadline, (original) => (state) => {
        const { deadlines } = noQueue.runIndex;
        // The alarm of a queue that merges nothing would wake it, too.
        return original({ ...state, lull: null, runIndex: { ...state.runIndex, deadlines } });
      }),
    ],
    breaks: ["I18"],
    from: 288,
  },
  {
    name: "an explanation names a conflict with an entry that has ended",
    mutations: [
      replace("heldLink", (original: Explain) => (state, entry) => {
        const entries = entry.heldBehind.reduce((all, pr) => all.with(pr, entry), state.entries);
        return original({ ...state, entries }, entry);
      }),
    ],
    breaks: ["I24"],
  },
  {
    name: "an explanation names a time that is past",
    mutations: [replace("isPast", (_: () => boolean) => () => false)],
    breaks: ["I24"],
  },
];

/** Events do not lead to effects of a type. */
function withoutEffect(type: ReturnType<typeof effectsOf>[number]["type"]) {
  return replace(effectsOf, (original) => (data) => original(data).filter((effect) => effect.type !== type));
}
