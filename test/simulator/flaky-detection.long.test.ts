import { spawnSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import { generateHistory } from "../../tools/simulator/flaky/generate-history.ts";
import { otherRules } from "../../tools/simulator/flaky/other-rules.ts";
import { createOurRule } from "../../tools/simulator/flaky/our-rule.ts";
import type { CreateRule, SimulatedHistory, SimulatedUpload } from "../../tools/simulator/flaky/rule.ts";
import { measure } from "../../tools/simulator/flaky/simulate-flaky.ts";
import { type FlakyWorld, type FlakyWorldName, flakyWorlds } from "../../tools/simulator/flaky/world.ts";

/** A smaller world, so that a test takes about a second. `npm run simulate:flaky` measures the whole world. */
const small = (world: FlakyWorld): FlakyWorld => ({ ...world, tests: 900, days: 12, pullRequests: 25 });

/** Where nothing but races breaks tests, the only harm is that of races on known flaky tests, in few uploads. */
const mostHarm: Partial<Record<FlakyWorldName, number>> = {
  stacks: 0.03,
  "reopened pull requests": 0.03,
  "four races on one test": 0.03,
  // Each pull request is forgiven once.
  "flaky tests broken by pull requests": 0.1,
};

describe("flaky test detection", () => {
  test.each(Object.entries(flakyWorlds))(
    "is precise and does little harm in the world: %s",
    async (name, world) => {
      const measured = await measure(createOurRule, [generateHistory(small(world), 301)]);
      expect(measured.precision).toBeGreaterThanOrEqual(0.97);
      expect(measured.harm).toBeLessThanOrEqual(mostHarm[name as FlakyWorldName] ?? 0.02);
      expect(measured.forgiven).toBeGreaterThanOrEqual(world.reruns === 0 ? 0.25 : 0.6);
      expect(measured.mostForgivenOfBroken ?? 0).toBeLessThanOrEqual(15);
    },
  );

  test.each<[FlakyWorldName, string]>([
    ["races of pull requests", "pass on retry, one commit"],
    ["two tests of one name", "pass on retry, one tree"],
    ["outages", "Trunk Flaky Tests"],
    ["outages", "Buildkite Test Engine"],
  ])("is measured in a world where another rule is imprecise: %s, %s", async (name, rule) => {
    const other = otherRules[rule] as CreateRule;
    const { precision } = await measure(other, [generateHistory(small(flakyWorlds[name]), 301)]);
    expect(precision).toBeLessThan(0.9);
  });
});

test("a generated history is the same for the same seed", () => {
  const world = { ...small(flakyWorlds["everything, few re-runs"]), days: 2 };
  expect(generateHistory(world, 7)).toEqual(generateHistory(world, 7));
  expect(generateHistory(world, 7).uploads).not.toEqual(generateHistory(world, 8).uploads);
});

describe("the measure of a rule", () => {
  const failure = (test: number, cause: "flaky" | "real") => ({
    test,
    cause,
    message: "",
    hasPassingTwin: false,
  });
  const upload = (failed: SimulatedUpload["failed"]): SimulatedUpload => ({
    ...{ at: 0, kind: "pr", pr: 1, branch: "change", line: "main", head: "h", tree: "t", runId: "1" },
    ...{ changes: [], attempt: 1 },
    failed,
  });
  const history: SimulatedHistory = {
    tests: 10,
    names: 10,
    flaky: new Set([1]),
    broken: new Set(),
    uploads: [
      upload([failure(1, "flaky")]),
      upload([failure(1, "flaky"), failure(2, "real")]),
      upload([failure(2, "real")]),
    ],
  };
  const forgivingOnly =
    (...tests: number[]) =>
    () => ({
      forgiven: () => new Set(tests),
      see: () => {},
      flagged: new Map(tests.map((test) => [test, 0])),
    });

  test("counts harm when all failures of an upload are forgiven and one of them was real", async () => {
    expect(await measure(forgivingOnly(1), [history])).toMatchObject({ precision: 1, forgiven: 1, harm: 0 });
    expect(await measure(forgivingOnly(2), [history])).toMatchObject({
      precision: 0,
      forgiven: 0,
      harm: 0.5,
    });
    expect(await measure(forgivingOnly(1, 2), [history])).toMatchObject({ precision: 0.5, harm: 1 });
  });
});

test.each([
  [["--help"], 0, /^Usage: trainyard simulate-flaky/, /^$/],
  [["--seeds", "x"], 2, /^$/, /^--seeds must be whole numbers .*, not "x"; see --help\n$/],
  [["--sedes", "1"], 2, /^$/, /^error: unknown option '--sedes' \(Did you mean --seeds\?\); see --help\n$/],
])("the command line %j exits with code %i and says why", (argv, code, out, err) => {
  const child = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "src/main.ts", "simulate-flaky", ...argv],
    {
      encoding: "utf8",
    },
  );
  expect([child.status, child.stdout, child.stderr]).toEqual([
    code,
    expect.stringMatching(out),
    expect.stringMatching(err),
  ]);
});
