import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { providerNames } from "../../../src/action/providers/provider-name.ts";
import { bazel, cargo, go } from "./compiled-scenarios.ts";
import * as easilyMissed from "./easily-missed.ts";
import { npm, nx, pnpm, turborepo, yarn } from "./node-scenarios.ts";
import { createPlayground, type Playground } from "./playground.ts";
import type { Scenario } from "./scenario.ts";

const byTool = { nx, turborepo, npm, yarn, pnpm, cargo, go, bazel };

/** The providers that run no build tool. */
const plain: Readonly<Record<string, { inputs: Record<string, string>; impact: unknown }>> = {
  paths: { inputs: { "targets-paths": "api: api/**" }, impact: ["api"] },
  command: { inputs: { "targets-command": "echo one; echo two" }, impact: ["one", "two"] },
  all: { inputs: {}, impact: "the provider is `all`" },
};

test("every provider runs in the bundle without installed packages", async () => {
  const tested = ["auto", ...Object.keys(byTool), ...Object.keys(plain)];
  expect(tested.toSorted()).toEqual(providerNames.toSorted());
  const change = { what: "a new file", changed: { "api/new.ts": "1;\n" }, impacts: [] };
  const playground = await createPlayground({ tool: null, files: { "a.txt": "1\n" }, changes: [] });
  try {
    const head = await playground.propose(change.changed);
    for (const [provider, { inputs, impact }] of Object.entries(plain))
      expect(await playground.impact({ provider, ...inputs }, head, change)).toEqual(impact);
  } finally {
    await playground.close();
  }
});

const scenarios: readonly (readonly [string, string, Scenario])[] = [
  ...Object.entries(byTool).map(([provider, scenario]) => [provider, "", scenario] as const),
  ...Object.entries(easilyMissed).map(
    ([provider, scenario]) => [provider, ", where targets are easily missed", scenario] as const,
  ),
];

describe.each(scenarios)("the %s provider%s", (provider, _where, scenario) => {
  let playground: Playground;

  beforeAll(async () => {
    playground = await createPlayground(scenario);
  });

  afterAll(() => playground.close());

  // The provider is `auto`, so that its detection is tested, too.
  test.each(scenario.changes)("finds the impact of $what", async (change) => {
    const head = await playground.propose(change.changed);
    const name = change.rules === undefined ? "auto" : provider;
    const impact = await playground.impact({ provider: name }, head, change);
    const { impacts } = change;
    expect(impact).toEqual("allBecause" in impacts ? expect.stringContaining(impacts.allBecause) : impacts);
  });
});
