import { describe, expect, test } from "@jest/globals";
import { compareNumbers, SortedMap } from "../../src/engine/collections/sorted-map.ts";
import fc from "../drawn.ts";

const change = fc.record({ key: fc.integer({ min: 0, max: 60 }), value: fc.option(fc.nat()) });

/** Compares the map with a model that is sorted from scratch. */
function expectLike(map: SortedMap<number, number>, model: ReadonlyMap<number, number>): void {
  const pairs = [...model].sort(([a], [b]) => a - b);
  expect([...map.keys()]).toEqual(pairs.map(([key]) => key));
  expect([...map.values()]).toEqual(pairs.map(([, value]) => value));
  expect(map.size).toBe(pairs.length);
  expect(map.first()).toBe(pairs[0]?.[1]);
  expect(map.lastKey()).toBe(pairs.at(-1)?.[0]);
  const asked = Array.from({ length: 62 }, (_, index) => index - 1);
  expect(asked.map((key) => [map.get(key), map.has(key), map.rank(key)])).toEqual(
    asked.map((key) => [model.get(key), model.has(key), pairs.filter(([other]) => other < key).length]),
  );
  expect(asked.map((key) => [...map.values(key)])).toEqual(
    asked.map((key) => pairs.filter(([other]) => other > key).map(([, value]) => value)),
  );
}

describe("a sorted map", () => {
  test("behaves like a map in key order, and does not change when a new version is derived from it", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 150 }), (changes) => {
        const versions = [{ map: SortedMap.empty<number, number>(compareNumbers), model: new Map() }];
        for (const { key, value } of changes) {
          const { map, model } = versions.at(-1) ?? {
            map: SortedMap.empty(compareNumbers),
            model: new Map(),
          };
          const next = new Map(model);
          if (value === null) next.delete(key);
          else next.set(key, value);
          versions.push({ map: value === null ? map.without(key) : map.with(key, value), model: next });
        }
        for (const place of [0, versions.length >> 1, versions.length - 1]) {
          const version = versions[place];
          if (version) expectLike(version.map, version.model);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("compares few keys per lookup, however it was filled and emptied", () => {
    let compared = 0;
    let map = SortedMap.empty<number, number>((a, b) => {
      compared += 1;
      return a - b;
    });
    for (let key = 0; key < 20_000; key++) map = map.with(key, key);
    for (let key = 0; key < 15_000; key++) map = map.without(key);
    const costs = [15_000, 17_000, 19_999].map((key) => {
      compared = 0;
      expect(map.get(key)).toBe(key);
      return compared;
    });
    // A perfect tree of 5,000 keys has 13 levels; a weight-balanced one less than twice as many.
    expect(Math.max(...costs)).toBeLessThan(30);
  });
});
