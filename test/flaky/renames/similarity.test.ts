import { describe, expect, it, test } from "@jest/globals";
import {
  editSimilarity,
  leastSimilarity,
  similarityOf,
  wordsOf,
} from "../../../src/flaky/renames/similarity.ts";

import fc from "../../drawn.ts";

test.each([
  ["parses the header", ["parses", "the", "header"]],
  ["testParsesHTTPHeader2", ["test", "parses", "http", "header", "2"]],
  ["test_parses_header[a-1]", ["test", "parses", "header", "a", "1"]],
  ["isn't empty, doesn’t fail", ["is", "not", "empty", "does", "not", "fail"]],
  ["größer als Ä", ["größer", "als", "ä"]],
  [" -- ", []],
])("the words of %j are %j", (name, words) => {
  expect(wordsOf(name)).toEqual(words);
});

describe("the similarity of two names", () => {
  it("is the share of their common words", () => {
    expect(similarityOf("adds an item to it", "adds an item to them")).toBeCloseTo(0.8);
    expect(similarityOf("adds an item", "removes the cart")).toBe(0);
  });

  it("is the similarity of their letters if that is higher", () => {
    expect(similarityOf("recieves", "receives")).toBeCloseTo(0.75);
    expect(similarityOf("get user", "set user")).toBeCloseTo(0.5);
  });

  it("is symmetric, at most 1, and 1 for a name and itself", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", " ", "A", "1") });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(similarityOf(a, b)).toBe(similarityOf(b, a));
        expect(similarityOf(a, b)).toBeLessThanOrEqual(1);
        if (wordsOf(a).length > 0) expect(similarityOf(a, a)).toBe(1);
      }),
    );
  });
});

describe("the similarity of letters", () => {
  it("is 1 minus the edit distance divided by the longer length, or 0 below the minimum", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 20 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const longer = Math.max(a.length, b.length);
        const expected = longer === 0 ? 0 : 1 - distance(a, b) / longer;
        const isLess = expected < leastSimilarity - 1e-9;
        expect(editSimilarity(a, b, leastSimilarity)).toBeCloseTo(isLess ? 0 : expected);
      }),
    );
  });

  it("is not computed for long texts", () => {
    expect(editSimilarity("a".repeat(81), "a".repeat(81), leastSimilarity)).toBe(0);
  });
});

/** The edit distance by its definition, without shortcuts. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (const [row, letter] of [...a].entries()) {
    const [above = [], current] = [rows[row], [row + 1]];
    for (const [column, other] of [...b].entries())
      current.push(
        Math.min(
          (above[column] ?? 0) + (letter === other ? 0 : 1),
          (above[column + 1] ?? 0) + 1,
          (current[column] ?? 0) + 1,
        ),
      );
    rows.push(current);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}
