import { describe, expect, test } from "@jest/globals";
import {
  everyPolicy,
  fixedPolicies,
  linePolicies,
  mergeAll,
  mergeSteps,
  queueUnder,
  runCi,
} from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

describe.each(everyPolicy)("with the policy $name, a queue with one slot", (policy) => {
  test("tests a ready pull request on the base and merges it once its checks pass", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(queue.storyOf(1)).toEqual([
      "not_ready→pending READY",
      "pending→testing TESTS_STARTED",
      "testing→tests_passed TESTS_PASSED",
      "tests_passed→merged MERGED_IN_ORDER",
    ]);
    expect(queue.state.base.at(-1)?.sha).toBe("landed-1");
    expect(queue.state.runs.size).toBe(0);
  });

  test("tests pull requests one after the other, in the order of submission", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.submit(2);
    expect(queue.testing).toEqual([1]);
    queue.built(1);
    queue.passes(1);
    expect(queue.testing).toEqual([2]);
    expect(queue.run(2).ahead).toEqual([1]);
  });

  test("evicts a pull request whose required check fails on the base, after a second failure if the policy retests it", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.built(1);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe(policy.evictsAtOnce ? "failed" : "pending");
    runCi(queue, [1]);
    expect(queue.storyOf(1).at(-1)).toBe("pending_failure→failed CHECKS_FAILED");
  });

  test("tests waiting entries by priority, then by submission time, without interrupting a test", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.submit(2);
    queue.submit(3, {}, 10);
    queue.submit(4, {}, 5);
    queue.submit(5, {}, 10);
    const order = [1];
    // Without batches, each pull request gets its place in the line of blocks as soon as it is submitted.
    for (const next of policy.order === "blocks" ? [2, 3, 4, 5] : [4, 3, 5, 2]) {
      queue.built(order.at(-1) ?? 0);
      queue.passes(order.at(-1) ?? 0);
      expect(queue.testing).toEqual([next]);
      order.push(next);
    }
  });

  test("updates the priority of a pull request that is submitted again, and keeps its place within that priority", () => {
    const queue = queueUnder(policy);
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.submit(3, {}, 10);
    queue.submit(2, {}, 10);
    queue.built(1);
    queue.passes(1);
    expect(queue.testing).toEqual([2]);
    expect(queue.log.filter(({ data }) => data.type === "entry_admitted")).toHaveLength(3);
  });
});

describe.each(everyPolicy)("with the policy $name, speculation", (policy) => {
  test("tests each entry on top of everything ahead of it", () => {
    const queue = queueUnder(policy, { concurrency: 3 });
    for (const pr of [1, 2, 3, 4]) queue.submit(pr);
    expect(queue.testing).toEqual([1, 2, 3]);
    expect(queue.run(3).ahead).toEqual([1, 2]);
  });

  test("merges in queue order, whatever the order in which tests end", () => {
    const queue = queueUnder(policy, { concurrency: 3 });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1, 2, 3);
    queue.passes(3, 2);
    expect(queue.state.merge).toBeNull();
    queue.passes(1);
    expect(mergeSteps(queue)).toEqual(policy.order === "line" ? [1, 2, 3] : [1]);
    expect(mergeAll(queue)).toEqual([1, 2, 3]);
    expect(queue.state.base.map(({ pr }) => pr)).toEqual([null, 1, 2, 3]);
    expect(queue.state.entries.size).toBe(0);
  });

  test("keeps a run valid when those ahead of it merge, and builds later runs on the new base", () => {
    const queue = queueUnder(policy, { concurrency: 2 });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1, 2);
    queue.passes(1);
    queue.merges();
    expect(queue.testing).toEqual([2, 3]);
    expect(queue.run(3)).toMatchObject({ base: "base-0", ahead: [1, 2] });
    queue.passes(2);
    queue.merges();
    queue.submit(4);
    expect(queue.run(4)).toMatchObject({ base: "landed-2", ahead: [3] });
  });
});

describe.each(everyPolicy)("with the policy $name, a failed test", (policy) => {
  test.each([1, 2, 3])("evicts only #%i, which is at fault, and the others merge", (bad) => {
    const queue = queueUnder(policy, { concurrency: 3 });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    runCi(queue, [bad]);
    for (const pr of [1, 2, 3]) expect(queue.stateOf(pr)).toBe(pr === bad ? "failed" : "merged");
  });

  test("behind another pull request at fault does not evict, whichever test ends first", () => {
    for (const order of [
      [1, 2],
      [2, 1],
    ]) {
      const queue = queueUnder(policy, { concurrency: 2 });
      for (const pr of [1, 2]) queue.submit(pr);
      queue.built(1, 2);
      for (const pr of order) if (queue.run(pr).state === "running") queue.fails(pr);
      expect(queue.stateOf(2)).not.toBe("failed");
      runCi(queue, [1]);
      expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["failed", "merged"]);
    }
  });
});

describe.each(fixedPolicies)("with the policy $name, speculation", (policy) => {
  test("defers a failure behind an undecided pull request, and retests it when that one fails", () => {
    const queue = queueUnder(policy, { concurrency: 2 });
    queue.submit(1);
    queue.submit(2);
    queue.built(1, 2);
    queue.fails(2);
    expect(queue.stateOf(2)).toBe("pending_failure");
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("failed");
    expect(queue.storyOf(2).at(-1)).toBe("pending_failure→pending AHEAD_FAILED");
    expect(queue.run(2)).toMatchObject({ base: "base-0", ahead: [] });
    queue.built(2);
    queue.passes(2);
    queue.merges();
    expect(queue.stateOf(2)).toBe("merged");
  });

  test("confirms a failure behind an undecided pull request when that one merges", () => {
    const queue = queueUnder(policy, { concurrency: 2 });
    queue.submit(1);
    queue.submit(2);
    queue.built(1, 2);
    queue.fails(2);
    queue.passes(1);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.stateOf(2)).toBe("failed");
  });

  test("retests a pull request behind a suspect at once, on top of the nearest entry that is still good", () => {
    const queue = queueUnder(policy, { concurrency: 3 });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1, 2, 3);
    queue.fails(2);
    expect(queue.stateOf(3)).toBe("pending");
    expect(queue.run(3).ahead).toEqual([1]);
    queue.built(3);
    queue.passes(3, 1);
    queue.merges();
    expect([1, 2, 3].map((pr) => queue.stateOf(pr))).toEqual(["merged", "failed", "tests_passed"]);
    queue.merges();
    expect(queue.stateOf(3)).toBe("merged");
  });
});

describe.each(linePolicies)("with the policy $name, speculation", (policy) => {
  test("merges two merge commits together when the second is built on the first", () => {
    const queue = queueUnder(policy, { concurrency: 3, mergeMethod: "merge_commit" });
    for (const pr of [1, 2]) queue.submit(pr);
    queue.built(1, 2);
    queue.passes(2, 1);
    expect(queue.state.merge?.steps).toHaveLength(2);
    queue.merges();
    expect(queue.state.base.at(-1)?.sha).toBe("commit(base-0+1+2)");
  });
});

describe.each(everyPolicy.filter(({ order }) => order !== "lanes"))(
  "with the policy $name, a conflict with an entry ahead",
  (policy) => {
    test("holds the entry, lets those behind it continue, and fails the entry only when it conflicts with the base", () => {
      const queue = queueUnder(policy, { concurrency: 3 });
      for (const pr of [1, 2, 3]) queue.submit(pr);
      queue.built(1);
      queue.buildEnds(2, { kind: "conflict", pr: 2 });
      expect(queue.stateOf(2)).toBe("pending");
      expect(queue.reasonOf(2)).toBe("CONFLICT_WITH_AHEAD");
      expect(queue.run(3).ahead).toEqual([1]);
      queue.built(3);
      queue.passes(1);
      queue.merges();
      expect(queue.run(2)).toMatchObject({ base: "landed-1", ahead: [3] });
      queue.passes(3);
      queue.merges();
      queue.buildEnds(2, { kind: "conflict", pr: 2 });
      expect(queue.storyOf(2).at(-1)).toBe("pending→failed MERGE_CONFLICT_WITH_BASE");
    });
  },
);

describe.each(everyPolicy)("with the policy $name, a conflict with an entry ahead", (policy) => {
  /** #2 conflicts with #1, which is under test. */
  function conflicting(): QueueHarness {
    const queue = queueUnder(policy, { concurrency: 2 });
    queue.submit(1);
    queue.submit(2);
    queue.built(1);
    queue.buildEnds(2, { kind: "conflict", pr: 2 });
    return queue;
  }

  test("does not evict the entry, which merges when the entry ahead is evicted", () => {
    const queue = conflicting();
    expect(queue.stateOf(2)).toBe("pending");
    queue.fails(1);
    runCi(queue, [1]);
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["failed", "merged"]);
  });

  test("evicts the entry once the entry ahead has merged and the conflict is with the base", () => {
    const queue = conflicting();
    queue.passes(1);
    queue.merges();
    for (let build = 0; build < 3 && queue.state.entries.has(2); build++) {
      queue.buildEnds(2, { kind: "conflict", pr: 2 });
      queue.passesTime(1);
    }
    expect(queue.storyOf(2).at(-1)).toBe("pending→failed MERGE_CONFLICT_WITH_BASE");
  });
});
