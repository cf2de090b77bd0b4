import { expect, test } from "@jest/globals";
import { recalled } from "../../src/engine/collections/pair-cache.ts";

test("an answer is recalled for the two whose it is, whichever comes first, and for no others", () => {
  // Far more pairs of each than the memory has places: many take each other's.
  const others = Array.from({ length: 200_000 }, (_, index) => index + 10);
  const differs = (a: number, b: number) => ((a * b) % 7) % 2 === 1;
  const wrong: string[] = [];
  for (const a of [1, 2, 1_000_000]) {
    for (const b of others) {
      if (recalled(a, b, () => differs(a, b)) !== differs(a, b)) wrong.push(`${a} and ${b}`);
      if (recalled(b, a, () => differs(a, b)) !== differs(a, b)) wrong.push(`${b} and ${a}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("what was asked just now is not worked out again", () => {
  expect(recalled(1_000_001, 1_000_002, () => true)).toBe(true);
  const workOut = () => {
    throw new Error("it was known");
  };
  expect(recalled(1_000_002, 1_000_001, workOut)).toBe(true);
});
