import { describe, expect, test } from "@jest/globals";
import { inBatches } from "../../src/engine/collections/in-batches.ts";

describe("batches", () => {
  test("hold at most the allowed number of items, in order", () => {
    expect([...inBatches([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
    expect([...inBatches([1, 2], 2)]).toEqual([[1, 2]]);
    expect([...inBatches([], 2)]).toEqual([]);
  });

  test("do not exceed the maximum weight, unless a single item does", () => {
    const weight = { most: 10, of: (item: number) => item };
    expect([...inBatches([4, 6, 1, 30, 5, 5], 3, weight)]).toEqual([[4, 6], [1], [30], [5, 5]]);
  });
});
