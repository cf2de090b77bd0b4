import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import {
  CountedTargets,
  commonTargets,
  overlap,
  parseTargets,
  sameTargets,
  targetsOf,
} from "../../src/engine/model/targets.ts";
import fc from "../drawn.ts";

/** Numbers up to the largest target. Many are equal, or equal in their low bits. */
const anyNumber = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 40 }).map((number) => number * 2 ** 26),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);
const anyNumbers = fc.array(anyNumber, { maxLength: 60 });

function common(a: readonly number[], b: readonly number[]): number {
  return [...new Set(a)].filter((number) => b.includes(number)).length;
}

describe("sets of targets", () => {
  test("report the number of targets that they share", () => {
    fc.assert(
      fc.property(fc.array(anyNumbers, { maxLength: 8 }), fc.nat(20), (lists, limit) => {
        const sets = lists.map((list) => TargetSet.of(list));
        // The second time, the answers come from the cache.
        for (const _time of [1, 2]) {
          for (const [i, a] of sets.entries()) {
            for (const [j, b] of sets.entries()) {
              const expected = common(lists[i] ?? [], lists[j] ?? []);
              expect(commonTargets(a, b, limit)).toBe(Math.min(expected, limit));
              expect(overlap(a, b)).toBe(expected > 0);
            }
          }
        }
      }),
    );
  });

  test("are equal when they hold the same targets, and survive a JSON round trip", () => {
    fc.assert(
      fc.property(anyNumbers, anyNumbers, (list, other) => {
        const set = TargetSet.of(list);
        const sorted = [...new Set(list)].sort((a, b) => a - b);
        expect([...set]).toEqual(sorted);
        const [read, listed] = [parseTargets(JSON.parse(JSON.stringify(set))), parseTargets(list)];
        expect([sameTargets(read, set), sameTargets(listed, set)]).toEqual([true, true]);
        expect(sameTargets(set, TargetSet.of(other))).toBe(
          sorted.join() === [...new Set(other)].sort((a, b) => a - b).join(),
        );
      }),
    );
  });

  test("are counted by name, even when two names have the same hash", () => {
    // FNV-1a gives the first two names the same hash, and also the next two.
    const name = fc.constantFrom("costarring", "liquid", "declinate", "macallums", "other");
    fc.assert(
      fc.property(fc.array(name, { maxLength: 9 }), (names) => {
        expect(CountedTargets.of(names).count).toBe(new Set(names).size);
      }),
    );
    expect(CountedTargets.of(["costarring", "liquid"])).toMatchObject({ count: 2, targets: { size: 1 } });
    const many = Array.from({ length: 100_000 }, (_, index) => `//some/package:target_${index}`);
    expect(CountedTargets.of([...many, ...many.slice(7)]).count).toBe(100_000);
  });

  test("are sorted, however many targets they hold", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `//some/package:target_${index}`);
    const numbers = names.flatMap((name) => [...CountedTargets.of([name]).targets]);
    expect([...CountedTargets.of(names).targets]).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  test("take four bytes per target, in base64, when they are stored", () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `//pkg:${index}`);
    expect(JSON.stringify(targetsOf(names)).length).toBeLessThan(1_000 * 4 * 1.34 + 10);
  });

  test("treat ALL as overlapping every set except an empty one, and as equal only to itself", () => {
    const [none, some] = [TargetSet.of([]), TargetSet.of([0])];
    expect([overlap("ALL", none), overlap(none, "ALL"), overlap(none, none)]).toEqual([false, false, false]);
    expect([overlap("ALL", some), overlap(some, "ALL"), overlap("ALL", "ALL")]).toEqual([true, true, true]);
    expect([sameTargets("ALL", some), sameTargets("ALL", parseTargets("ALL"))]).toEqual([false, true]);
    expect(commonTargets("ALL", some, 3)).toBeNull();
  });
});
