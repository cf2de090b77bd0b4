import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { bazel, cargo, go } from "./compiled-scenarios.ts";
import * as easilyMissed from "./easily-missed.ts";
import { npm, nx, pnpm, turborepo, yarn } from "./node-scenarios.ts";
import { createPlayground, type Playground } from "./playground.ts";
import type { Scenario } from "./scenario.ts";

export const byTool = { nx, turborepo, npm, yarn, pnpm, cargo, go, bazel };

const scenarios: readonly (readonly [string, string, Scenario])[] = [
  ...Object.entries(byTool).map(([provider, scenario]) => [provider, "", scenario] as const),
  ...Object.entries(easilyMissed).map(
    ([provider, scenario]) => [provider, ", where targets are easily missed", scenario] as const,
  ),
];

/** Declares a test for each of the chosen changes of every scenario. */
export function testChanges(choose: (changes: Scenario["changes"]) => Scenario["changes"]): void {
  const chosen = scenarios.filter(([, , { changes }]) => choose(changes).length > 0);
  describe.each(chosen)("the %s provider%s", (provider, _where, scenario) => {
    let playground: Playground;

    beforeAll(async () => {
      playground = await createPlayground(scenario);
    });

    afterAll(() => playground.close());

    // The provider is `auto`, so that its detection is tested, too.
    test.each(choose(scenario.changes))("finds the impact of $what", async (change) => {
      const head = await playground.propose(change.changed);
      const name = change.rules === undefined ? "auto" : provider;
      const impact = await playground.impact({ provider: name }, head, change);
      const { impacts } = change;
      expect(impact).toEqual("allBecause" in impacts ? expect.stringContaining(impacts.allBecause) : impacts);
    });
  });
}
