import { describe, expect, test } from "@jest/globals";
import { lane, line } from "../transitions/adaptive-queue.ts";

describe.each([lane, line])("a pull request that leaves a batch", (queueOf) => {
  test("is cancelled directly, and the other members go back to pending", () => {
    const queue = queueOf({ batch: true, batchingMinSize: 2 }, 1, 2);
    queue.built(1);
    queue.cancel(2);
    expect(queue.storyOf(2).at(-1)).toBe("testing→cancelled CANCELLED_BY_USER");
    expect(queue.storyOf(1).at(-1)).toBe("testing→pending AHEAD_CANCELLED");
  });

  test("because its merge is refused fails directly from tests passed, and the other members go back to pending", () => {
    const queue = queueOf({ batch: true, batchingMinSize: 2 }, 1, 2);
    queue.built(1);
    queue.passes(1);
    queue.mergeStops({ kind: "refused", message: "rules" });
    expect(queue.storyOf(1).at(-1)).toBe("tests_passed→failed MERGE_REFUSED");
    expect(queue.storyOf(2).at(-1)).toBe("tests_passed→pending AHEAD_FAILED");
  });
});
