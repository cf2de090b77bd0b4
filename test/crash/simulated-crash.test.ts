import { describe, expect, test } from "@jest/globals";
import { runSimulatedCrashes } from "../../tools/crash/run-simulated-crashes.ts";
import { scenarioNames } from "../../tools/crash/scenarios.ts";

const progress = () => {};
/** Four hundred lives on a busy machine. */
const timeoutMs = 1_800_000;

describe("in virtual time, a service that is killed at any boundary of a durable effect ends like one that was not", () => {
  test.each(scenarioNames)(
    "%s: every boundary",
    async (name) => {
      const { kills, violations } = await runSimulatedCrashes({
        ...{ scenarios: [name], at: null, every: 1, replicas: 1, progress },
      });
      expect(violations).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(70);
    },
    timeoutMs,
  );

  test(
    "three replicas: multiples of 97",
    async () => {
      const { kills, violations } = await runSimulatedCrashes({
        ...{ scenarios: scenarioNames, at: null, every: 97, replicas: 3, progress },
      });
      expect(violations).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(20);
    },
    timeoutMs,
  );
});

test("a boundary that a simulated scenario does not have is reported, because nothing was proved", async () => {
  const { kills, violations } = await runSimulatedCrashes({
    ...{ scenarios: ["merge"], at: [9_999], every: 1, replicas: 1, progress },
  });
  expect({ kills, violations }).toEqual({
    kills: 0,
    violations: ["merge was not killed, because it has no boundary 9999"],
  });
});
