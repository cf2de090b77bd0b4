import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { explain } from "../../src/engine/explain/explain.ts";
import type { ExplainCode } from "../../src/engine/explain/explain-link.ts";
import type { WaitCode } from "../../src/engine/model/order/delay.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { check, QueueHarness } from "./queue-harness.ts";
import { lane, line, runOf } from "./transitions/adaptive-queue.ts";

function queueOf(settings: Partial<QueueSettings>, ...prs: number[]): QueueHarness {
  const queue = new QueueHarness(settings);
  for (const pr of prs) queue.submit(pr);
  return queue;
}

function doing(queue: QueueHarness, ...steps: ((queue: QueueHarness) => void)[]): QueueHarness {
  for (const step of steps) step(queue);
  return queue;
}

/** Postpones the ordered merge or build until 12:10 UTC. */
const waits = (code: WaitCode, message: string) => (queue: QueueHarness) => {
  const work = queue.state.merge ? "merge" : "build";
  const id = queue.state.merge?.id ?? queue.run(1).id;
  const until = Date.UTC(2026, 0, 5, 12, 10);
  queue.take({ type: "work_postponed", work, id, wait: { code, message, until } });
};

const batch = { batch: true, batchingMinSize: 2 };

/** For each code, the text that explains #1, and a queue in which #1 gets it. */
const scenarios: Record<ExplainCode, { readonly says: string; readonly queue: () => QueueHarness }> = {
  QUEUE_NOT_RUNNING: {
    says: "the queue is paused. The reason: set by @alice",
    queue: () =>
      doing(
        queueOf({}),
        (queue) => queue.configure({ status: "paused" }),
        (queue) => queue.submit(1),
      ),
  },
  NOTHING_MERGES: {
    says: "nothing has merged since 00:16 UTC. This pull request is the first in the queue",
    queue: () =>
      doing(
        queueOf({}, 1),
        (queue) => queue.built(1),
        (queue) => queue.passesTime(61),
      ),
  },
  FROZEN: {
    says: "its tests passed. Frozen until Mon, 5 Jan 2026, 13:10 (Europe/Berlin). The reason: Release weekend. Until then, only urgent pull requests merge into main",
    queue: () =>
      doing(
        queueOf({}, 1),
        (queue) => queue.freezes(Date.UTC(2026, 0, 5, 12, 10)),
        (queue) => queue.built(1),
        (queue) => queue.passes(1),
      ),
  },
  BASE_TESTED: {
    says: "it failed, and nothing has passed since its first failure. The target branch main is being tested by itself, to tell a bad pull request from a broken branch",
    queue: () => {
      const queue = new QueueHarness({ policy: "adaptive", concurrency: 1 });
      queue.base = null;
      queue.submit(1);
      queue.failsTwice(1);
      return queue;
    },
  },
  BASE_BRANCH_DIFFERS: {
    says: "its base branch is not the queue's. It is next, and the queue merges into main",
    queue: () => doing(queueOf({}), (queue) => queue.submit(1, { baseBranch: "next" })),
  },
  DRAFT: {
    says: "it is a draft",
    queue: () => doing(queueOf({}), (queue) => queue.submit(1, { draft: true })),
  },
  MERGEABILITY_UNKNOWN: {
    says: "GitHub is still computing whether it is mergeable",
    queue: () => doing(queueOf({}), (queue) => queue.submit(1, { mergeability: "unspecified" })),
  },
  WAITING_FOR_TARGETS: {
    says: "the impacted targets of its head have not been posted yet",
    queue: () => queueOf({ mode: "parallel" }, 1),
  },
  NOT_MERGEABLE: {
    says: "1 approving review is required",
    queue: () =>
      doing(queueOf({}), (queue) =>
        queue.submit(1, {
          mergeability: "not_mergeable",
          blockers: ["1 approving review is required"],
        }),
      ),
  },
  PLACE_KEPT: {
    says: "it left the line. The reason: a review is required. It keeps its place if it is ready again within 60 minutes",
    queue: () =>
      doing(queueOf({}, 1), (queue) => queue.observe(1, { objections: [{ code: "REVIEW_REQUIRED" }] })),
  },
  BEHIND: {
    says: "behind #3 (overlap: 1 target)",
    queue: () => {
      const queue = new QueueHarness({ mode: "parallel" });
      queue.targets = (pr) => TargetSet.of(pr === 3 ? [1, 2] : [1, 3]);
      for (const pr of [2, 3, 1]) queue.submit(pr);
      return queue;
    },
  },
  EXAMINING_HEAD: {
    says: "its head is being checked. If it is up to date and has passed, it merges without another test",
    queue: () => queueOf({ directMergeMode: "always" }, 1),
  },
  HELD_BY_CONFLICT: {
    says: "conflicts with #2 ahead, and waits for it",
    queue: () =>
      doing(queueOf({ concurrency: 2 }, 2, 1), (queue) => queue.buildEnds(1, { kind: "conflict", pr: 1 })),
  },
  RETRY_SCHEDULED: {
    says: "it is tried again after an error. Details: bad gateway",
    queue: () =>
      doing(queueOf({}, 1), (queue) =>
        queue.buildEnds(1, { kind: "infrastructure_error", message: "bad gateway" }),
      ),
  },
  NO_FREE_SLOT: {
    says: "no free testing slot (1 of 1 in use)",
    queue: () => queueOf({}, 2, 1),
  },
  BATCH_FILLING: {
    says: "its batch of 1 waits for 1 more",
    queue: () => queueOf(batch, 1),
  },
  BEHIND_BISECTION: {
    says: "the failed batch of #2 and #3 is being bisected",
    queue: () =>
      doing(
        queueOf({ ...batch, concurrency: 2 }, 2, 3),
        (queue) => queue.built(2),
        (queue) => queue.fails(2),
        (queue) => queue.submit(1),
      ),
  },
  BEHIND_EXAMINATION: {
    says: "waits for #2 ahead, which may merge without a test",
    queue: () => queueOf({ directMergeMode: "always", concurrency: 2 }, 2, 1),
  },
  NEXT: {
    says: "its test is the next to start",
    queue: () =>
      doing(queueOf(batch, 1), (queue) => {
        queue.now += 60 * 60_000;
      }),
  },
  BISECTING: {
    says: "its batch failed. The culprit is among #1 and #2",
    queue: () =>
      doing(
        queueOf(batch, 1, 2),
        (queue) => queue.built(1),
        (queue) => queue.fails(1),
      ),
  },
  WAITING_FOR_SUCCESSORS: {
    says: "it failed, and it waits for #2, whose tests contain it. Required check failed: build",
    queue: () =>
      doing(
        queueOf({ concurrency: 2, pendingFailureDepth: 1 }, 1, 2),
        (queue) => queue.built(1, 2),
        (queue) => queue.fails(1),
      ),
  },
  BUILDING_TEST_COMMIT: {
    says: "its test commit is being built",
    queue: () => queueOf({}, 1),
  },
  CHECKS_MISSING: {
    says: "its tests have finished, but required checks have not reported. Missing on the test branch: build. Name it in the queue's acceptFromHead if it reports on pull requests only, let its workflow run on pushes to test branches without a path filter, or correct its name where it is required",
    queue: () =>
      doing(
        queueOf({}, 1),
        (queue) => queue.built(1),
        (queue) => queue.take({ type: "checks_observed", runId: queue.run(1).id, checks: [], isQuiet: true }),
      ),
  },
  CHECKS_NEVER_REPORTED: {
    says: "required checks did not report on earlier test branches. Missing there: build. Name it in the queue's acceptFromHead if it reports on pull requests only, let its workflow run on pushes to test branches without a path filter, or correct its name where it is required",
    queue: () =>
      doing(
        queueOf({}, 2),
        (queue) => queue.built(2),
        (queue) => queue.misses(2),
        (queue) => queue.submit(1),
      ),
  },
  WAITING_FOR_CHECKS: {
    says: "waiting for build",
    queue: () =>
      doing(
        queueOf({}, 1),
        (queue) => queue.built(1),
        (queue) => queue.checks(1, [check("build", null)]),
      ),
  },
  WAITING_FOR_AHEAD: {
    says: "its tests passed, and it waits for #2 ahead",
    queue: () =>
      doing(
        queueOf({ concurrency: 2 }, 2, 1),
        (queue) => queue.built(1),
        (queue) => queue.passes(1),
      ),
  },
  GITHUB_LIMITS_US: {
    says: "GitHub asks us to wait until 12:10 UTC before making its test commit. Details: too many requests",
    queue: () => doing(queueOf({}, 1), waits("GITHUB_LIMITS_US", "too many requests.")),
  },
  GITHUB_DENIES: {
    says: "GitHub denies merging. Details: not accessible. It is tried again at 12:10 UTC",
    queue: () =>
      doing(
        queueOf({}, 1),
        (queue) => queue.built(1),
        (queue) => queue.passes(1),
        waits("GITHUB_DENIES", "not accessible"),
      ),
  },
  REVIEW_UNKNOWN: {
    says: "GitHub does not say whether it has the reviews and resolved conversations that the branch's rules demand. It is asked again",
    queue: () => doing(queueOf({}), (queue) => queue.submit(1, { objections: [{ code: "REVIEW_UNKNOWN" }] })),
  },
  GITHUB_UNAVAILABLE: {
    says: "GitHub does not answer to making its test commit. Details: bad gateway. It is tried again at 12:10 UTC",
    queue: () => doing(queueOf({}, 1), waits("GITHUB_UNAVAILABLE", "bad gateway")),
  },
  GITHUB_BUSY: {
    says: "GitHub is not ready for merging. Details: Base branch was modified. It is tried again at 12:10 UTC",
    queue: () =>
      doing(
        queueOf({}, 1),
        (queue) => queue.built(1),
        (queue) => queue.passes(1),
        waits("GITHUB_BUSY", "Base branch was modified."),
      ),
  },
  COMMAND_PENDING: {
    says: "merging waits. A comment on #1 that was received before is not handled yet. It is tried again at 12:10 UTC",
    queue: () =>
      doing(
        queueOf({}, 1),
        (queue) => queue.built(1),
        (queue) => queue.passes(1),
        waits("COMMAND_PENDING", "a comment on #1 that was received before is not handled yet"),
      ),
  },
  INTERNAL_ERROR: {
    says: "making its test commit failed with an error of Trainyard's own. Its log says more. It is tried again at 12:10 UTC",
    queue: () => doing(queueOf({}, 1), waits("INTERNAL_ERROR", "x is not a function")),
  },
  MERGING: {
    says: "it is being merged",
    queue: () =>
      doing(
        queueOf({}, 1),
        (queue) => queue.built(1),
        (queue) => queue.passes(1),
      ),
  },
  BLOCK_FORMING: {
    says: "waits for the next group that is tested together",
    queue: () => line(batch, 1),
  },
  TESTED_ALONE: {
    says: "it is tested by itself first. It is more likely to fail than the others",
    queue: () =>
      doing(
        line({ batch: true, batchingMinSize: 3 }, 2, 3, 1),
        (queue) => queue.built(1),
        (queue) => queue.fails(1),
      ),
  },
  WAITING_FOR_VERDICT: {
    says: "it failed, and it waits for the tests of #2. Required check failed: build",
    queue: () =>
      doing(
        lane({ concurrency: 2 }, 2, 1),
        (queue) => queue.built(2, 1),
        (queue) => queue.fails(1),
      ),
  },
  UNDER_SUSPICION: {
    says: "at fault with a chance of 56 % (8 % before its tests). It failed together with #2 (build). New tests of other pull requests do not contain it",
    queue: () =>
      doing(
        lane({ concurrency: 2 }, 2, 1),
        (queue) => queue.built(2, 1),
        (queue) => queue.fails(1),
      ),
  },
  PROVED: {
    says: "proved by its test with #2. The chance of a fault is less than 1 %",
    queue: () =>
      doing(
        lane({ concurrency: 2 }, 2, 1),
        (queue) => queue.built(1),
        (queue) => queue.passes(1),
      ),
  },
  GROUP_TESTED: {
    says: "its group has been tested. Passed on top of #2",
    queue: () =>
      doing(
        line({ concurrency: 2 }, 2, 1),
        (queue) => queue.built(1),
        (queue) => queue.passes(1),
      ),
  },
  ENDED: {
    says: "cancelled by @alice",
    queue: () => doing(queueOf({}, 1), (queue) => queue.cancel(1)),
  },
};

describe("the explanation of a pull request", () => {
  test.each(Object.entries(scenarios))("renders the code %s", (code, { says, queue: begin }) => {
    const queue = begin();
    const entry = queue.entryOf(1);
    const link = explain(queue.state, entry, queue.now).find((other) => other.code === code);
    expect(link?.text).toBe(says);
    expect(link?.since).toBeLessThanOrEqual(queue.now);
  });

  test("covers a direct merge under way and a failure behind another pull request", () => {
    const queue = doing(queueOf({ directMergeMode: "always" }, 1), (one) =>
      one.take({
        type: "head_examined",
        pr: 1,
        headSha: "head-1",
        base: "base-0",
        outcome: { kind: "passed", treeSha: "tree" },
      }),
    );
    expect(explain(queue.state, queue.entryOf(1), queue.now).map(({ code }) => code)).toEqual(["MERGING"]);
    const failed = doing(
      queueOf({ concurrency: 2 }, 2, 1),
      (one) => one.built(1),
      (one) => one.fails(1),
    );
    expect(explain(failed.state, failed.entryOf(1), failed.now).map(({ text }) => text)).toEqual([
      "it failed, and it waits for #2 ahead. Required check failed: build",
    ]);
  });

  test("adds the suspicion and its evidence with the policy beliefs", () => {
    const queue = lane({ concurrency: 3 });
    queue.targets = (pr) => TargetSet.of(pr === 1 ? [1] : [2]);
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1, 2, 3);
    queue.fails(1);
    queue.configure({ concurrency: 1 });
    queue.fails(2);
    const text = (pr: number) => explain(queue.state, queue.entryOf(pr), queue.now).map((link) => link.text);
    const suspicion =
      "at fault with a chance of 76 % (5 % before its tests). It failed by itself (build). New tests of other pull requests do not contain it";
    expect(text(1)).toEqual(["its test commit is being built", suspicion]);
    expect(text(2)).toEqual([
      "it failed, and it waits for #3, whose tests contain it. Required check failed: build",
      suspicion,
    ]);
    expect(text(3)).toEqual(["waiting for build"]);
  });

  test("lists how its group was tested with the policy beliefs in single mode", () => {
    const queue = line({ concurrency: 3 }, 1, 2);
    const text = () => explain(queue.state, queue.entryOf(2), queue.now).map((link) => link.text);
    const ends = (ahead: number[], conclusion: "success" | "failure") => {
      if (runOf(queue, [2], ahead).state === "building") queue.runBuilt(runOf(queue, [2], ahead));
      queue.runEnds(runOf(queue, [2], ahead), conclusion);
    };
    queue.built(1, 2);
    ends([1], "success");
    expect(text()).toEqual([
      "its tests ended, and it waits for #1 ahead",
      "its group has been tested. Passed on top of #1",
    ]);
    ends([], "failure");
    expect(text()).toEqual([
      "its tests ended, and it waits for #1 ahead",
      "its group has been tested. Passed on top of #1, failed on what has merged",
    ]);
  });

  test("names the pull request ahead that decides its verdict with the policy beliefs in single mode", () => {
    const queue = line({ concurrency: 3 }, 1, 2);
    const text = () => explain(queue.state, queue.entryOf(2), queue.now).map((link) => link.text);
    queue.built(1);
    queue.runBuilt(runOf(queue, [2], []));
    queue.runEnds(runOf(queue, [2], []), "success");
    queue.runBuilt(runOf(queue, [2], [1]));
    queue.runEnds(runOf(queue, [2], [1]), "failure");
    expect(text()).toEqual([
      "it failed, and it is waiting for the tests of #1 ahead. Required check failed: build",
      "its group has been tested. Passed on what has merged, failed on top of #1",
    ]);
  });

  test("names the tests ahead instead of the slots when a slot is free with the policy beliefs", () => {
    const ahead = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const queue = lane({ concurrency: 11 });
    queue.targets = (pr) => TargetSet.of([pr === 20 ? 2 : 1]);
    for (const pr of [...ahead, 20, 11, 12, 13]) queue.submit(pr);
    queue.built(...ahead, 20);
    const text = () => explain(queue.state, queue.entryOf(11), queue.now).map((link) => link.text);
    expect(text()[0]).toBe("no free testing slot (11 of 11 in use)");
    queue.passes(20);
    expect(text()[0]).toBe("waiting for the tests of #1, #2, #3 and 7 more ahead");
  });
});

describe("postponed work", () => {
  test("is explained to every pull request that waits for it, until it is done", () => {
    const queue = doing(queueOf({ concurrency: 2 }, 1, 2), waits("GITHUB_LIMITS_US", "slow down"));
    const codes = (pr: number) => explain(queue.state, queue.entryOf(pr), queue.now).map(({ code }) => code);
    expect([codes(1), codes(2)]).toEqual([["GITHUB_LIMITS_US"], ["GITHUB_LIMITS_US"]]);
    queue.built(1);
    expect([codes(1), codes(2)]).toEqual([["WAITING_FOR_CHECKS"], ["BUILDING_TEST_COMMIT"]]);
  });

  test("is recorded once, and not after it is done", () => {
    const queue = doing(queueOf({}, 1), waits("GITHUB_LIMITS_US", "slow down"));
    const { id } = queue.run(1);
    const before = queue.log.length;
    waits("GITHUB_LIMITS_US", "slow down")(queue);
    expect(queue.log).toHaveLength(before);
    queue.built(1);
    const wait = { code: "GITHUB_DENIES", message: "late", until: 0 } as const;
    queue.take({ type: "work_postponed", work: "build", id, wait });
    expect(queue.state.waits).toEqual({});
  });
});
