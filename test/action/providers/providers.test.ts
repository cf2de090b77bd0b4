import { expect, test } from "@jest/globals";
import { providerNames } from "../../../src/action/providers/provider.ts";
import { createPlayground } from "./playground.ts";
import { byTool, testChanges } from "./test-changes.ts";

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

/** `providers.long.test.ts` has the other changes. */
testChanges((changes) => changes.slice(0, 1));
