import { describe, expect, it } from "@jest/globals";
import { NumberSet, packNumbers } from "../../../src/flaky/store/packing/number-set.ts";
import fc from "../../drawn.ts";

const most = 2 ** 31 - 1;
const number = fc.oneof(
  fc.nat({ max: 300 }),
  fc.integer({ min: 65_500, max: 65_600 }),
  fc.integer({ min: 0, max: most }),
  fc.constantFrom(0, 31, 32, most),
);
const numbers = fc.array(number, { maxLength: 60 });
const ascending = (some: Iterable<number>) => [...new Set(some)].sort((a, b) => a - b);

describe("a set of numbers", () => {
  it("contains each added number once, and can be read upwards or downwards from any number", () => {
    fc.assert(
      fc.property(
        fc.array(numbers, { maxLength: 4 }),
        numbers,
        fc.oneof(number, fc.constantFrom(-1, most + 1)),
        fc.nat({ max: 70 }),
        (packed, single, from, limit) => {
          const set = new NumberSet();
          for (const some of packed) set.addPacked(packNumbers(ascending(some)));
          for (const one of single) set.add(one);
          const all = ascending([...packed.flat(), ...single]);
          expect(set.above(-1, all.length)).toEqual(all);
          expect(set.countAbove(-1)).toBe(all.length);
          const [above, below] = [all.filter((one) => one > from), all.filter((one) => one < from)];
          expect(set.countAbove(from)).toBe(above.length);
          expect(set.above(from, limit)).toEqual(above.slice(0, limit));
          expect(set.below(from, limit)).toEqual(below.toReversed().slice(0, limit));
          expect(set.packed()).toEqual(packNumbers(all));
        },
      ),
    );
  });

  it("is packed into one byte per number if the numbers are close together", () => {
    const near = Array.from({ length: 1_000 }, (_, index) => 1_000_000 + index * 100);
    expect(packNumbers(near)).toHaveLength(1_002);
    expect(packNumbers([])).toHaveLength(0);
  });
});
