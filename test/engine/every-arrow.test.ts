import { describe, expect, test } from "@jest/globals";
import { arrows } from "../../src/engine/model/transition.ts";
import { adaptiveBlocks } from "./transitions/adaptive-blocks.ts";
import { adaptiveLanes } from "./transitions/adaptive-lanes.ts";
import { fromAnyState } from "./transitions/from-any-state.ts";
import { onItsWay } from "./transitions/on-its-way.ts";

/** A scenario for each arrow, by its name. */
const scenarios = new Map([...fromAnyState, ...onItsWay, ...adaptiveLanes, ...adaptiveBlocks]);

describe("the transition table", () => {
  const names = [...new Set(arrows().map(({ from, to, reason }) => `${from} → ${to} ${reason}`))];

  test.each(names)("has the arrow %s, and a scenario takes it", (name) => {
    const taken = scenarios.get(name)?.().storyOf(2) ?? ["there is no scenario"];
    expect(taken.map((arrow) => arrow.replace("→", " → "))).toContain(name);
  });

  test("has exactly the arrows of the scenarios", () => {
    expect([...scenarios.keys()].sort()).toEqual(names.sort());
  });
});
