import { describe, expect, test } from "@jest/globals";
import { EventHeap } from "../../src/replay/engine-run/event-heap.ts";
import { LikeliestPaths } from "../../tools/simulator/reference/submit-queue.ts";
import fc from "../drawn.ts";

describe("scheduled events", () => {
  test("happen in the order of time, then of scheduling", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
        const heap = new EventHeap<number>();
        for (const [index, at] of times.entries()) heap.schedule(at, index);
        const happened: { at: number; event: number }[] = [];
        for (let next = heap.next(); next; next = heap.next())
          happened.push({ at: next.at, event: next.event });
        const expected = times.map((at, event) => ({ at, event })).sort((a, b) => a.at - b.at);
        expect(happened).toEqual(expected);
      }),
    );
  });
});

describe("the possible outcomes of dependencies", () => {
  test("come in the order of likelihood, each exactly once", () => {
    const chance = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(fc.array(chance, { maxLength: 6 }), (chances) => {
        const paths = new LikeliestPaths<string>();
        paths.add(
          "one",
          chances.map((success, index) => ({ index, success })),
        );
        const seen = new Set<string>();
        let last = 1;
        let total = 0;
        for (let path = paths.next(); path; path = paths.next()) {
          expect(path.likelihood).toBeLessThanOrEqual(last * (1 + 1e-9));
          const { merging } = path;
          const likelihood = chances.reduce((all, p, index) => all * (merging.has(index) ? p : 1 - p), 1);
          expect(path.likelihood).toBeCloseTo(likelihood, 9);
          last = path.likelihood;
          total += path.likelihood;
          seen.add([...merging].sort().join());
        }
        expect(seen.size).toBe(2 ** chances.length);
        expect(total).toBeCloseTo(1, 6);
      }),
    );
  });
});
