import { describe, expect, it } from "@jest/globals";
import { NumberSet } from "../../src/store/number-set.ts";
import { packNumbers } from "../../src/store/packed-numbers.ts";
import fc from "../drawn.ts";

const descending = (numbers: Iterable<number>) => [...new Set(numbers)].sort((a, b) => b - a);
const numbers = fc.array(
  fc.oneof(
    fc.nat({ max: 300 }),
    fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    fc.integer({ min: 65_500, max: 65_600 }),
  ),
  { maxLength: 60 },
);

describe("sets of numbers", () => {
  it("hold what was added, one by one or packed, each once, the largest first", () => {
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 4 }), numbers, (packed, single) => {
        const set = new NumberSet();
        for (const some of packed) set.addPacked(packNumbers(descending(some).reverse()));
        for (const number of single) set.add(number);
        const expected = descending([...packed.flat(), ...single]);
        expect([...set.descending()]).toEqual(expected);
        expect(set.size()).toBe(expected.length);
        const again = new NumberSet();
        again.addPacked(set.packed());
        expect([...again.descending()]).toEqual(expected);
      }),
    );
  });

  it("are packed into a byte for each number, where these are near one another", () => {
    const near = Array.from({ length: 1_000 }, (_, index) => 1_000_000 + index * 100);
    expect(packNumbers(near)).toHaveLength(1_002);
    expect(packNumbers([])).toHaveLength(0);
  });
});
