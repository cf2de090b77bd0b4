import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  addToDay,
  blockOf,
  dayBytes,
  emptyDay,
  hoursOf,
  packDay,
  unpackDay,
} from "../../../src/flaky/store/packing/packed-days.ts";
import {
  type NumberedResult,
  packResults,
  unpackResults,
} from "../../../src/flaky/store/packing/packed-results.ts";

const outcome = fc.constantFrom("passed", "failed", "skipped");
const results = fc.uniqueArray(
  fc.record<NumberedResult>({
    sk: fc.integer({ min: 1, max: 2_000_000_000 }),
    first: outcome,
    last: outcome,
    flipped: fc.boolean(),
    durationMs: fc.integer({ min: 0, max: 2 ** 26 }),
  }),
  { selector: ({ sk }) => sk, maxLength: 50 },
);

describe("packed results", () => {
  it("are unpacked unchanged, in ascending order of their numbers", async () => {
    await fc.assert(
      fc.asyncProperty(results, async (some) => {
        const ascending = some.toSorted((a, b) => a.sk - b.sk);
        expect([...unpackResults(await packResults(some))]).toEqual(ascending);
      }),
    );
  });

  it.each([
    ["ascending", (at: number) => at],
    ["descending", (at: number) => 40_000 - at],
    ["mixed", (at: number) => (at * 7_919) % 40_009],
  ])("are sorted by number when many were given in %s order", async (_, numberOf) => {
    const some = Array.from({ length: 40_000 }, (_, at) => ({
      ...{ sk: numberOf(at) + 1, first: "passed", last: "passed" },
      ...{ flipped: false, durationMs: at },
    })) as NumberedResult[];
    const told = (all: NumberedResult[]) => all.map(({ sk, durationMs }) => `${sk}: ${durationMs}`).join();
    const read = [...unpackResults(await packResults(some))];
    expect(told(read)).toBe(told(some.toSorted((a, b) => a.sk - b.sk)));
  });

  it("take about four bytes each if their tests are neighbours", async () => {
    const some = Array.from({ length: 1_000 }, (_, at) => ({
      sk: 5_000 + at,
      first: "passed" as const,
      last: "passed" as const,
      flipped: false,
      durationMs: at,
    }));
    expect((await packResults(some)).length).toBeLessThan(4_000);
  });

  it("cause an error if they are truncated", async () => {
    const packed = await packResults([
      { sk: 300, first: "passed", last: "failed", flipped: true, durationMs: 70_000 },
    ]);
    expect(() => [...unpackResults(packed.subarray(0, -1))]).toThrow("end in the middle");
  });
});

describe("the counts of a day", () => {
  const hoursOfTest = (day: Uint8Array, sk: number) => hoursOf(day, sk);

  it("are separate for each test and hour", () => {
    const day = emptyDay();
    addToDay(day, 64, 0, false);
    addToDay(day, 64, 0, true);
    addToDay(day, 95, 23, true);
    expect([blockOf(64), blockOf(95), blockOf(96)]).toEqual([2, 2, 3]);
    expect(hoursOfTest(day, 64)[0]).toEqual({ runs: 2, failures: 1 });
    expect(hoursOfTest(day, 95)[23]).toEqual({ runs: 1, failures: 1 });
    const all = [...Array(32).keys()].flatMap((at) => hoursOfTest(day, 64 + at));
    expect(all.reduce((sum, { runs }) => sum + runs, 0)).toBe(3);
  });

  it("are stored only for hours with runs, and are unpacked unchanged", () => {
    const day = emptyDay();
    for (let sk = 0; sk < 32; sk++) addToDay(day, sk, 9, sk === 31);
    for (let run = 0; run < 300; run++) addToDay(day, 7, 23, true);
    const stored = packDay(day);
    expect(stored.length).toBeLessThan(300);
    expect(unpackDay(stored)).toEqual(day);
    expect(unpackDay(packDay(emptyDay()))).toEqual(emptyDay());
    for (let hour = 0; hour < 24; hour++) addToDay(day, 3, hour, true);
    expect(packDay(day)).toHaveLength(dayBytes);
    expect(unpackDay(packDay(day))).toEqual(day);
  });

  it("are rejected if they are truncated or too long", () => {
    const day = emptyDay();
    addToDay(day, 1, 5, false);
    const stored = packDay(day);
    for (const length of [0, 5, 6, stored.length - 1])
      expect(unpackDay(stored.subarray(0, length))).toBeNull();
    expect(unpackDay(new Uint8Array([...stored, 0]))).toBeNull();
  });

  it("stop at their maximum instead of overflowing", () => {
    const day = emptyDay();
    for (let run = 0; run < 65_600; run++) addToDay(day, 1, 5, true);
    expect(hoursOfTest(day, 1)[5]).toEqual({ runs: 65_535, failures: 65_535 });
    expect(hoursOfTest(day, 1)[6]).toEqual({ runs: 0, failures: 0 });
  });
});
