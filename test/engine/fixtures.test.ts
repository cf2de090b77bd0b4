import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import type { Decide } from "../../src/replay/engine-run/queue-driver.ts";
import { drawScenario } from "../../tools/simulator/soak/draw-scenario.ts";
import { play } from "../../tools/simulator/soak/play.ts";
import { readFixture, reduce, writeFixture } from "../../tools/simulator/soak/shrink.ts";

const folder = join(import.meta.dirname, "fixtures");

describe("the recorded scenario", () => {
  test.each(readdirSync(folder))("%s breaks no invariant", (name) => {
    expect(play(readFixture(join(folder, name)).scenario).violation).toBeNull();
  });
});

describe("a soak scenario", () => {
  const scratch = mkdtempSync(join(tmpdir(), "fixtures-"));
  afterAll(() => rmSync(scratch, { recursive: true }));

  /** An engine that ignores pushes. */
  const blind: Decide = (state, input, context) => {
    const entry = input.type === "pull_request_observed" && state.entries.get(input.pullRequest.number);
    if (!entry) return decide(state, input, context);
    return decide(
      state,
      { ...input, pullRequest: { ...input.pullRequest, headSha: entry.headSha } },
      context,
    );
  };
  const playBlindly = (scenario: Parameters<typeof play>[0]) => play(scenario, blind);
  const seed = Array.from({ length: 50 }, (_, index) => index + 1).find((one) =>
    playBlindly(drawScenario(one)).violation?.startsWith("I6"),
  );

  test("that breaks an invariant is reduced to the steps that it needs, and can be replayed from a file", () => {
    const fixture = reduce(seed ?? 0, playBlindly);
    expect(fixture?.scenario.steps.map((step) => step.do).sort()).toEqual(["push", "submit"]);
    expect(drawScenario(seed ?? 0).steps.length).toBeGreaterThan(50);
    if (!fixture) throw new Error("nothing was broken");
    const read = readFixture(writeFixture(scratch, 1, fixture));
    expect(playBlindly(read.scenario).violation).toBe(fixture.violation);
    expect(fixture.violation).toMatch(/^I6: #\d+ is in the queue with \d+\.0, but was pushed to$/);
    expect(play(read.scenario).violation).toBeNull();
  });

  test("that breaks no invariant gives no fixture", () => {
    expect(reduce(seed ?? 0)).toBeNull();
  });
});
