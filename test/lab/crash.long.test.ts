import { rm } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { Command } from "commander";
import { crash } from "../../tools/lab/crash/crash.ts";
import { runCrashes } from "../../tools/lab/crash/run-crashes.ts";
import { scenarioNames } from "../../tools/lab/crash/scenarios.ts";
import { defineExperiment } from "../../tools/lab/experiment.ts";

/** Some thirty lives of a real service, on a busy machine. */
const timeoutMs = 1_800_000;

/** `npm run lab -- crash` kills at every boundary. Multiples of an odd number are before and after commits and calls alike. */
test.each([
  { database: "sqlite", every: 31, least: 20 },
  { database: "postgres", every: 101, least: 6 },
] as const)(
  "a service that is killed before or after a durable effect ends like one that was not ($database)",
  async ({ database, every, least }) => {
    const told: string[] = [];
    const { kills, violations } = await runCrashes({
      ...{ scenarios: scenarioNames, at: null, every, database, settings: {} },
      progress: (text) => told.push(text),
    });
    expect(violations).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(least);
    expect(told.length).toBeGreaterThanOrEqual(2 * scenarioNames.length);
  },
  timeoutMs,
);

test("a boundary that a scenario does not have is reported, because nothing was proved", async () => {
  const told: string[] = [];
  const { kills, violations } = await runCrashes({
    ...{ scenarios: ["merge"], at: [9_999], every: 1, database: "sqlite", settings: {} },
    progress: (text) => told.push(text),
  });
  const kept = /The service's log .* are in (.+)/.exec(told.join("\n"))?.[1] ?? "";
  await rm(kept, { recursive: true });
  expect(kills).toBe(0);
  expect(violations).toEqual(["merge was not played, killed, because it has no boundary 9999"]);
}, 600_000);

test.each([
  [["--scenario", "nothing"], "--scenario must be one of merge, squash, failure, batch, cancel."],
  [["--every", "0"], "--every must be a whole number from 1."],
  [["--database", "oracle"], "--database must be sqlite or postgres."],
  [["--replicas", "2"], "--replicas needs --simulated."],
  [["--event", "rename"], "--event, --later, --seed, --readings, --by"],
  [["--later", "kill"], "--by and --without-webhooks need --simulated."],
  [["--simulated", "--settings", '{"moode": 1}'], "--settings has unknown names: moode."],
  [["--simulated", "--event", "flood"], "--event must be all, or one of kill, freeze, doze"],
  [["--simulated", "--later", "flood"], "--later must be all, or one of kill, freeze, doze"],
  [["--simulated", "--by", "mail"], "--by must be one of api, comment, label, auto_merge."],
  [["--simulated", "--replicas", "0"], "--replicas must be a whole number from 1."],
  [["--simulated", "--database", "postgres"], "--simulated has a database of its own"],
])("an option that makes no sense is refused: %j", (argv, message) => {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} });
  defineExperiment(command, crash);
  return expect(command.parseAsync(argv, { from: "user" })).rejects.toThrow(message);
});
