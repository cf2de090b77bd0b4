import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import type { EntryState } from "../../../src/engine/model/entry.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import type { Objection } from "../../../src/engine/reasons/objection.ts";
import { pullRequest, QueueHarness } from "../queue-harness.ts";
import { does, type Scenarios } from "./scenario.ts";

type LiveState = Exclude<EntryState, "merged" | "failed" | "cancelled">;

const live: readonly LiveState[] = ["not_ready", "pending", "testing", "tests_passed", "pending_failure"];
const started: readonly LiveState[] = ["testing", "tests_passed", "pending_failure"];

/** #2 in the given state, behind #1, which is being built. */
export function behind(state: LiveState, settings: Partial<QueueSettings> = {}): QueueHarness {
  const queue = new QueueHarness({
    concurrency: state === "pending" ? 1 : 3,
    testingTimeoutMinutes: 60,
    ...settings,
  });
  queue.targets = () => TargetSet.of([1]);
  queue.submit(1);
  queue.submit(2, { draft: state === "not_ready" });
  if (started.includes(state)) queue.built(2);
  if (state === "tests_passed") queue.passes(2);
  if (state === "pending_failure") queue.fails(2);
  return queue;
}

/** The events that send #2 back to pending, whatever the result of its tests, by reason. */
const sendsBack: Readonly<Record<string, (queue: QueueHarness) => void>> = {
  RESTARTED: (queue) => queue.restart(2),
  BASE_MOVED: (queue) => queue.baseMovesTo("outside"),
  AHEAD_FAILED: (queue) => {
    queue.built(1);
    queue.fails(1);
  },
  AHEAD_CANCELLED: (queue) => queue.cancel(1),
  AHEAD_RESTARTED: (queue) => {
    queue.built(1);
    queue.restart(1);
  },
  AHEAD_HELD: (queue) => queue.buildEnds(1, { kind: "infrastructure_error", message: "bad gateway" }),
  AHEAD_MERGED_BY_HAND: (queue) => queue.observe(1, { state: "merged", mergedSha: "by-hand" }),
};

/** The events that cancel #2 in any state, by reason. */
const ends: Readonly<Record<string, (queue: QueueHarness) => void>> = {
  CANCELLED_BY_USER: (queue) => queue.cancel(2),
  CANCELLED_BY_API: (queue) =>
    queue.take({ type: "cancel", pr: 2, via: "api", actor: { kind: "token", name: "ci" } }),
  LABEL_REMOVED: (queue) =>
    queue.take({ type: "cancel", pr: 2, via: "label", actor: { kind: "user", name: "bob" } }),
  AUTO_MERGE_DISABLED: (queue) =>
    queue.take({ type: "cancel", pr: 2, via: "auto_merge", actor: { kind: "user", name: "bob" } }),
  PR_CLOSED: (queue) => queue.observe(2, { state: "closed" }),
  PUSHED_TO: (queue) => queue.observe(2, { headSha: "head-2b" }),
  BASE_BRANCH_CHANGED: (queue) => queue.observe(2, { baseBranch: "next" }),
};

const objections: readonly Objection[] = [
  { code: "CHANGES_REQUESTED", by: ["bob"] },
  { code: "REVIEW_REQUIRED" },
  { code: "CONVERSATIONS_OPEN", count: 2 },
  { code: "STATE_UNKNOWN", state: "LOCKED" },
  { code: "HEAD_CHECKS_FAILED", names: ["DCO"] },
  { code: "DEPENDS_ON", open: [9], closed: [], elsewhere: [], absent: [], cycle: [] },
  { code: "PART_OF_STACK", stack: 7, position: 1, size: 2, isLowest: true },
];

/** The arrows of #2 that start in more than one state. */
export const fromAnyState: Scenarios = [
  ...live.flatMap((state) => [
    ...Object.entries(ends).map(
      ([reason, end]) => [`${state} → cancelled ${reason}`, does(() => behind(state), end)] as const,
    ),
    [
      `${state} → merged MERGED_BY_OTHERS`,
      does(
        () => behind(state),
        (queue) => queue.observe(2, { state: "merged", mergedSha: "by-hand" }),
      ),
    ] as const,
  ]),
  ...live.slice(1).map(
    (state) =>
      [
        `${state} → cancelled CONVERTED_TO_DRAFT`,
        does(
          () => behind(state),
          (queue) => queue.observe(2, { draft: true }),
        ),
      ] as const,
  ),
  ...live.slice(1).flatMap((state) =>
    objections.map(
      (objection) =>
        [
          `${state} → not_ready ${objection.code}`,
          does(
            () => behind(state),
            (queue) => queue.observe(2, { objections: [objection] }),
          ),
        ] as const,
    ),
  ),
  ...live.slice(1).map(
    (state) =>
      [
        `${state} → not_ready REBASED`,
        does(
          () => behind(state),
          (queue) =>
            queue.take({
              type: "pull_request_observed",
              pullRequest: pullRequest(2, { headSha: "head-2b" }),
              isRebase: true,
            }),
        ),
      ] as const,
  ),
  [
    "not_ready → pending PLACE_LOST",
    does(
      () => {
        const queue = behind("testing", { reviewGraceMinutes: 10 });
        queue.observe(2, { objections: [{ code: "REVIEW_REQUIRED" }] });
        return queue;
      },
      (queue) => {
        queue.passesTime(11);
        queue.observe(2, { objections: [] });
      },
    ),
  ] as const,
  ...started.flatMap((state) => [
    ...Object.entries(sendsBack).map(
      ([reason, cause]) => [`${state} → pending ${reason}`, does(() => behind(state), cause)] as const,
    ),
    [
      `${state} → pending TARGETS_CHANGED`,
      does(
        () => behind(state, { mode: "parallel" }),
        (queue) =>
          queue.take({ type: "targets_observed", pr: 2, headSha: "head-2", targets: TargetSet.of([1, 2]) }),
      ),
    ] as const,
  ]),
];
