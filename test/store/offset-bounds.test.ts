import { expect, test } from "@jest/globals";
import { boundsOf, refine, widthOf } from "../../src/store/postgres/server-clock.ts";

const prompt = boundsOf({ askedAt: 100, serverTime: 5_001, answeredAt: 102 });

test("the faster an answer is, the more exactly it tells the difference of two clocks", () => {
  expect(prompt).toEqual({ earliest: 4_899, latest: 4_901, at: 102 });
  expect(widthOf(boundsOf({ askedAt: 100, serverTime: 5_001, answeredAt: 1_100 }))).toBe(1_000);
});

test("a slow answer does not make the time less exact", () => {
  const waited = boundsOf({ askedAt: 200, serverTime: 6_000, answeredAt: 1_102 });
  const known = refine(prompt, waited);
  expect(known.earliest).toBeCloseTo(4_898);
  expect(known.latest).toBeCloseTo(4_902);
  expect(known.at).toBe(1_102);
});

test("clocks that move apart slowly are followed", () => {
  let known = prompt;
  for (let second = 1; second <= 100; second++) {
    const at = 102 + second * 1_000;
    const offset = 4_900 + second * 0.4;
    known = refine(known, boundsOf({ askedAt: at - 2, serverTime: at - 1 + offset, answeredAt: at }));
    expect(Math.abs((known.earliest + known.latest) / 2 - offset)).toBeLessThan(2);
  }
});

test("after a clock was set, the last answer counts alone", () => {
  const set = boundsOf({ askedAt: 200, serverTime: 65_000, answeredAt: 202 });
  expect(refine(prompt, set)).toEqual(set);
});
