import { expect, test } from "@jest/globals";
import { cachedPairAnswer } from "../../src/engine/collections/caches.ts";

test("the pair cache returns an answer for its own pair in either order, and for no other pair", () => {
  // There are far more pairs than places in the cache, so many pairs overwrite each other.
  const others = Array.from({ length: 200_000 }, (_, index) => index + 10);
  const differs = (a: number, b: number) => ((a * b) % 7) % 2 === 1;
  const wrong: string[] = [];
  for (const a of [1, 2, 1_000_000]) {
    for (const b of others) {
      if (cachedPairAnswer(a, b, () => differs(a, b)) !== differs(a, b)) wrong.push(`${a} and ${b}`);
      if (cachedPairAnswer(b, a, () => differs(a, b)) !== differs(a, b)) wrong.push(`${b} and ${a}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("the pair cache does not compute a recent answer again", () => {
  expect(cachedPairAnswer(1_000_001, 1_000_002, () => true)).toBe(true);
  const workOut = () => {
    throw new Error("it was known");
  };
  expect(cachedPairAnswer(1_000_002, 1_000_001, workOut)).toBe(true);
});
