import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { fold } from "../../src/engine/evolve.ts";
import { explain } from "../../src/engine/explain/explain.ts";
import { effectsOf } from "../../src/engine/model/effect.ts";
import type { DirectMergeObstacle } from "../../src/engine/model/merge-attempt.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { serializeState } from "../../src/engine/snapshot.ts";
import { everyPolicy, type PolicyUnderTest, queueUnder, restored } from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

function directQueue(policy: PolicyUnderTest, settings: Partial<QueueSettings> = {}): QueueHarness {
  return queueUnder(policy, { directMergeMode: "always", ...settings });
}

/** Reports that the examination of a head passed. */
function passes(queue: QueueHarness, pr: number, base = "base-0", headSha = `head-${pr}`): void {
  queue.take({
    type: "head_examined",
    pr,
    headSha,
    base,
    outcome: { kind: "passed", treeSha: `tree-${pr}` },
  });
}

function isFound(queue: QueueHarness, pr: number, obstacle: DirectMergeObstacle): void {
  const outcome = { kind: "obstacle", obstacle } as const;
  queue.take({ type: "head_examined", pr, headSha: `head-${pr}`, base: "base-0", outcome });
}

function isExamined(queue: QueueHarness, pr: number): boolean {
  return queue.log.some(({ data }) => effectsOf(data).some((e) => e.type === "examine_head" && e.pr === pr));
}

describe.each(everyPolicy)(
  "with the policy $name, a pull request that is up to date and green when it is submitted",
  (policy) => {
    test("merges without a test run, with exactly the tree of its head", () => {
      const queue = directQueue(policy);
      queue.submit(1);
      expect(queue.testing).toEqual([]);
      passes(queue, 1);
      expect(queue.state.merge).toMatchObject({
        base: "base-0",
        direct: true,
        steps: [{ pr: 1, runId: null, headSha: "head-1", treeSha: "tree-1", parentSha: "base-0" }],
      });
      queue.merges();
      expect(queue.storyOf(1)).toEqual(["not_ready→pending READY", "pending→merged DIRECT_MERGED"]);
      expect(queue.log.some(({ data }) => data.type === "run_started")).toBe(false);
      expect(queue.log.findLast(({ data }) => data.type === "entry_moved")?.data).toMatchObject({
        reason: { code: "DIRECT_MERGED", proof: "head", sha: "landed-1" },
      });
    });

    test("is tested like any other with directMergeMode off", () => {
      const queue = queueUnder(policy);
      queue.submit(1);
      expect(isExamined(queue, 1)).toBe(false);
      expect(queue.testing).toEqual([1]);
    });

    test("is not merged directly when its targets change while its head is examined", () => {
      const queue = directQueue(policy, { mode: "parallel" });
      queue.targets = (pr) => TargetSet.of([pr]);
      queue.submit(1);
      isFound(queue, 1, "NOT_UP_TO_DATE");
      queue.submit(2);
      queue.take({ type: "targets_observed", pr: 2, headSha: "head-2", targets: TargetSet.of([1, 2]) });
      passes(queue, 2);
      expect([queue.state.merge, queue.testing]).toEqual([null, [1]]);
    });

    test("is not examined when another pull request of its lane is ahead of it", () => {
      const queue = directQueue(policy);
      queue.submit(1);
      isFound(queue, 1, "NOT_UP_TO_DATE");
      queue.submit(2);
      expect([isExamined(queue, 1), isExamined(queue, 2)]).toEqual([true, false]);
    });

    test("does not wait for other lanes", () => {
      const queue = directQueue(policy, { mode: "parallel", concurrency: 4 });
      queue.targets = (pr) => TargetSet.of([pr]);
      queue.submit(1);
      isFound(queue, 1, "NOT_UP_TO_DATE");
      expect(queue.testing).toEqual([1]);
      queue.submit(2);
      passes(queue, 2);
      queue.merges();
      expect(queue.stateOf(2)).toBe("merged");
      expect(queue.testing).toEqual([1]);
    });

    test("explains that its head is being examined", () => {
      const queue = directQueue(policy);
      queue.submit(1);
      const entry = queue.state.entries.get(1);
      expect(entry && explain(queue.state, entry, queue.now)).toMatchObject([{ code: "EXAMINING_HEAD" }]);
    });
  },
);

describe.each(["NOT_UP_TO_DATE", "CHECKS_NOT_PASSED", "NO_REQUIRED_CHECKS", "UNREADABLE"] as const)(
  "a head examination that reports %s",
  (obstacle) => {
    test.each(everyPolicy)("has the pull request tested like any other, with the policy $name", (policy) => {
      const queue = directQueue(policy);
      queue.submit(1);
      isFound(queue, 1, obstacle);
      expect(queue.testing).toEqual([1]);
      queue.built(1);
      queue.passes(1);
      queue.merges();
      expect(queue.storyOf(1).at(-1)).toBe("tests_passed→merged MERGED_IN_ORDER");
    });
  },
);

describe.each(everyPolicy)("with the policy $name, a head examination", (policy) => {
  test("delays the pull requests behind it, which are then tested on top of its merge", () => {
    const queue = directQueue(policy, { concurrency: 4 });
    queue.submit(1);
    queue.submit(2);
    expect(queue.testing).toEqual([]);
    passes(queue, 1);
    expect(queue.testing).toEqual([]);
    queue.merges();
    expect(queue.run(2)).toMatchObject({ base: "landed-1", ahead: [] });
  });

  test("is discarded when the base moves", () => {
    const queue = directQueue(policy);
    queue.submit(1);
    queue.baseMovesTo("outside");
    passes(queue, 1);
    expect(queue.state.merge).toBeNull();
    expect(queue.run(1)).toMatchObject({ base: "outside", members: [1] });
  });

  test("of an old head merges nothing after a push", () => {
    const queue = directQueue(policy);
    queue.submit(1);
    queue.observe(1, { headSha: "pushed" });
    expect(queue.stateOf(1)).toBe("cancelled");
    queue.submit(1, { headSha: "pushed" });
    passes(queue, 1, "base-0", "head-1");
    expect(queue.state.merge).toBeNull();
    passes(queue, 1, "base-0", "pushed");
    expect(queue.state.merge?.steps[0]?.headSha).toBe("pushed");
  });

  test("does not stop a cancel, after which the pull requests behind are tested", () => {
    const queue = directQueue(policy);
    queue.submit(1);
    queue.submit(2);
    expect(queue.cancel(1)).toBeNull();
    passes(queue, 1);
    expect(queue.state.merge).toBeNull();
    expect(queue.testing).toEqual([2]);
  });

  test("merges nothing while the queue is paused", () => {
    const queue = directQueue(policy);
    queue.submit(1);
    queue.configure({ status: "paused" });
    passes(queue, 1);
    expect(queue.state.merge).toBeNull();
    queue.configure({ status: "running" });
    expect(queue.testing).toEqual([1]);
  });

  test("that reports twice orders one merge, and is stored in snapshots", () => {
    const queue = directQueue(policy);
    queue.submit(1);
    queue.submit(2);
    const text = serializeState(queue.state);
    expect(serializeState(fold(queue.log))).toBe(text);
    expect([...restored(queue).direct.values()]).toEqual([1]);
    passes(queue, 1);
    passes(queue, 1);
    expect(queue.log.filter(({ data }) => data.type === "merge_started")).toHaveLength(1);
  });
});

describe.each(everyPolicy)("with the policy $name, an ordered direct merge", (policy) => {
  function ordered(): QueueHarness {
    const queue = directQueue(policy);
    queue.submit(1);
    passes(queue, 1);
    return queue;
  }

  test("can be cancelled until GitHub is asked for it", () => {
    const queue = ordered();
    queue.calls(1);
    expect(queue.cancel(1)).toEqual({ code: "MERGE_ALREADY_ORDERED", pr: 1 });
    expect(ordered().cancel(1)).toBeNull();
  });

  test("that a pause calls off is replaced by a normal test", () => {
    const queue = ordered();
    queue.configure({ status: "paused" });
    queue.configure({ status: "running" });
    expect(queue.testing).toEqual([1]);
  });

  test("that finds another base is replaced by a test on that base", () => {
    const queue = ordered();
    queue.mergeStops({ kind: "base_moved", actual: "outside" });
    expect(queue.run(1)).toMatchObject({ base: "outside" });
  });

  test("that finds another head fails its pull request", () => {
    const queue = ordered();
    queue.mergeStops({ kind: "head_changed" });
    expect(queue.storyOf(1).at(-1)).toBe("pending→failed HEAD_CHANGED");
  });

  test("that is refused fails its pull request", () => {
    const queue = ordered();
    queue.mergeStops({ kind: "refused", message: "no" });
    expect(queue.storyOf(1).at(-1)).toBe("pending→failed MERGE_REFUSED");
  });

  test("that is not allowed fails its pull request, and the queue keeps running", () => {
    const queue = ordered();
    queue.mergeStops({ kind: "refused", message: "rules" });
    expect(queue.state.status).toBe("running");
    expect(queue.storyOf(1).at(-1)).toBe("pending→failed MERGE_REFUSED");
  });

  test("that creates another tree pauses the queue with the reason TREE_MISMATCH", () => {
    const queue = ordered();
    queue.mergeStops({
      kind: "tree_mismatch",
      mismatch: { code: "TREE_MISMATCH", pr: 1, sha: "x", expectedTree: "tree-1", actualTree: "other" },
    });
    expect(queue.storyOf(1).at(-1)).toBe("pending→merged TREE_MISMATCH");
    expect(queue.state.status).toBe("paused");
  });
});
