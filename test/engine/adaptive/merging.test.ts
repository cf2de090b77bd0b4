import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import type { QueueHarness } from "../queue-harness.ts";
import { lane, line, runOf, testedWithoutSuspect } from "../transitions/adaptive-queue.ts";

/** The merged pull requests in order, each with the proof that it merged by. */
const proofs = ({ log }: QueueHarness) =>
  log.flatMap(({ data }) => {
    if (data.type !== "entry_moved" || data.reason.code !== "MERGED_IN_ORDER") return [];
    return [`#${data.pr} ${data.reason.proof}`];
  });

/** The pull requests of the ordered merge, in order. */
const ordered = ({ state }: QueueHarness) => state.merge?.steps.map(({ pr }) => pr);

describe("a pull request that passed", () => {
  test.each([lane, line])(
    "with its successor merges by the successor's proof, and its tree is composed first",
    (queueOf) => {
      const queue = queueOf({ concurrency: 2, canOptimisticallyMerge: true }, 1, 2);
      queue.built(1, 2);
      queue.passes(2);
      expect([ordered(queue), queue.state.merge?.composed]).toEqual([[1], true]);
      queue.merges();
      expect([ordered(queue), queue.state.merge?.composed]).toEqual([[2], false]);
      queue.merges();
      expect(proofs(queue)).toEqual(["#1 successor", "#2 same_tree"]);
    },
  );

  test.each([lane, line])("in a batch merges together with the batch", (queueOf) => {
    const queue = queueOf({ batch: true, batchingMinSize: 3 }, 1, 2, 3);
    queue.built(1);
    queue.passes(1);
    expect(ordered(queue)).toEqual([1, 2, 3]);
    queue.merges();
    expect(proofs(queue)).toEqual(["#1 batch", "#2 batch", "#3 same_tree"]);
  });

  test.each([lane, line])("in a batch is retested without the member whose merge is refused", (queueOf) => {
    const queue = queueOf({ batch: true, batchingMinSize: 3 }, 1, 2, 3);
    queue.built(1);
    queue.passes(1);
    const [first] = queue.state.merge?.steps ?? [];
    const merged = [{ pr: 1, treeSha: first?.treeSha ?? "", sha: "landed-1", proof: "same_tree" as const }];
    queue.mergeEnds({ merged, stop: { kind: "refused", message: "rules" } });
    expect([queue.stateOf(1), queue.stateOf(2), queue.stateOf(3)]).toEqual(["merged", "failed", "pending"]);
    queue.passesTime(5);
    expect(queue.run(3)).toMatchObject({ base: "landed-1", ahead: [], members: [3] });
  });

  test("but was overtaken is under test at once when its next run is already running", () => {
    const queue = testedWithoutSuspect();
    queue.runEnds(runOf(queue, [2], []), "success");
    queue.built(1);
    queue.passes(1);
    queue.runBuilt(runOf(queue, [2], [1]));
    queue.merges();
    expect(queue.storyOf(2).slice(-2)).toEqual([
      "tests_passed→pending OVERTAKEN",
      "pending→testing TESTS_STARTED",
    ]);
    expect(queue.run(2)).toEqual(runOf(queue, [2], [1]));
  });

  test("has its tree composed first when another lane has merged in the meantime", () => {
    const queue = lane({ concurrency: 2 });
    queue.targets = (pr) => TargetSet.of([pr]);
    for (const pr of [1, 2]) queue.submit(pr);
    queue.built(1, 2);
    queue.passes(1, 2);
    queue.merges();
    expect([ordered(queue), queue.state.merge?.composed]).toEqual([[2], true]);
  });

  test("without a suspect merges once the suspect fails", () => {
    const queue = testedWithoutSuspect();
    queue.passes(2);
    expect(queue.state.merge).toBeNull();
    queue.built(1);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("failed");
    expect(ordered(queue)).toEqual([2]);
  });

  test("without a suspect overtakes the suspect when another run that contains it fails", () => {
    const queue = lane({ concurrency: 3 }, 1, 2, 3);
    queue.built(1, 3);
    queue.fails(1);
    const without = runOf(queue, [2], []);
    queue.runBuilt(without);
    queue.runEnds(without, "success");
    expect(queue.state.merge).toBeNull();
    queue.runEnds(runOf(queue, [3], [1, 2]), "failure");
    expect(queue.stateOf(1)).toBe("pending");
    expect(ordered(queue)).toEqual([2]);
  });
});
