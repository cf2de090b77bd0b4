import { describe, expect, test } from "@jest/globals";
import { scenarioNames } from "../../tools/lab/crash/scenarios.ts";
import { runSimulatedCrashes } from "../../tools/lab/crash/simulated-crashes.ts";
import { options, timeoutMs } from "./simulated-options.ts";

describe("in virtual time, a service that is killed at a boundary of a durable effect ends like one that was not", () => {
  test.each(scenarioNames)(
    "%s: multiples of 3",
    async (name) => {
      const { kills, violations } = await runSimulatedCrashes({ ...options, scenarios: [name], every: 3 });
      expect(violations).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(23);
    },
    timeoutMs,
  );

  test(
    "three replicas: multiples of 97",
    async () => {
      const { kills, violations } = await runSimulatedCrashes({
        ...options,
        scenarios: scenarioNames,
        every: 97,
        replicas: 3,
      });
      expect(violations).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(20);
    },
    timeoutMs,
  );
});

test("a boundary that a simulated scenario does not have is reported, because nothing was proved", async () => {
  const { kills, violations } = await runSimulatedCrashes({ ...options, scenarios: ["merge"], at: [9_999] });
  expect({ kills, violations }).toEqual({
    kills: 0,
    violations: ["merge was not played, killed, because it has no boundary 9999"],
  });
});
