import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { bazel, cargo, go } from "./compiled-scenarios.ts";
import * as easilyMissed from "./easily-missed.ts";
import { npm, nx, pnpm, turborepo, yarn } from "./node-scenarios.ts";
import { createPlayground, type Playground } from "./playground.ts";
import type { Scenario } from "./scenario.ts";

const scenarios: readonly (readonly [string, string, Scenario])[] = [
  ...Object.entries({ nx, turborepo, npm, yarn, pnpm, cargo, go, bazel }).map(
    ([provider, scenario]) => [provider, "", scenario] as const,
  ),
  ...Object.entries(easilyMissed).map(
    ([provider, scenario]) => [provider, ", where targets are easily missed", scenario] as const,
  ),
];

describe.each(scenarios)("the provider %s%s", (provider, _where, scenario) => {
  let playground: Playground;

  beforeAll(async () => {
    playground = await createPlayground(scenario);
  });

  afterAll(() => playground.close());

  // By `auto`, so that each is detected, too.
  test.each(scenario.changes)(
    "of $what",
    async (change) => {
      const head = await playground.propose(change.changed);
      const impact = playground.impact(
        { provider: change.rules === undefined ? "auto" : provider },
        head,
        change,
      );
      if (!("allBecause" in change.impacts)) return expect(await impact).toEqual(change.impacts);
      const { allBecause } = change.impacts;
      const because = await impact.catch(({ title, message }) => `${title ?? ""} ${message}`);
      expect(because).toEqual(expect.stringContaining(allBecause));
    },
    120_000,
  );
});
