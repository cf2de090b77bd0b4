import { expect, test } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import type { RunRecord } from "../../src/ports/run-record.ts";
import type { Decide } from "../../src/replay/engine-run/queue-driver.ts";
import { isProved, judgeTree } from "../../src/service/queues/tree-proof.ts";
import { recordRuns } from "../../src/service/runtime/record-runs.ts";
import { treeOf } from "../../tools/simulator/soak/code-host.ts";
import { drawScenario } from "../../tools/simulator/soak/draw-scenario.ts";
import { World } from "../../tools/simulator/soak/world.ts";
import { draws } from "../sampled.ts";

/** What CI said about a tree, noted where it said it: before the engine saw it. */
interface Truth {
  readonly runs: Map<string, RunRecord>;
  /** By tree: the names of the checks that one report about one commit with this tree showed as passed. */
  readonly passed: Map<string, Set<string>[]>;
  /** Runs in which a failure was forgiven or tried again. */
  readonly spared: Set<string>;
}

/** Plays a scenario, and keeps the records of its test runs as the store does. */
function playHistory(seed: number): Truth & { readonly world: World } {
  const truth: Truth = { runs: new Map(), passed: new Map(), spared: new Set() };
  const recorded: Decide = (state, input, context) => {
    const decided = decide(state, input, context);
    const records = recordRuns(state, decided.events, decided.state);
    for (const record of records) truth.runs.set(record.run.id, record);
    for (const { data } of decided.events)
      if (data.type === "run_retried" || data.type === "run_forgiven") truth.spared.add(data.runId);
    if (input.type === "checks_observed") {
      const tree = truth.runs.get(input.runId)?.run.commits.at(-1)?.treeSha ?? "";
      const names = input.checks.filter(({ conclusion }) => conclusion === "success").map(({ name }) => name);
      truth.passed.set(tree, [...(truth.passed.get(tree) ?? []), new Set(names)]);
    }
    return decided;
  };
  const scenario = drawScenario(seed);
  const world = new World(scenario, recorded);
  for (const step of scenario.steps) world.step(step);
  return { ...truth, world };
}

test("over drawn histories, no tree counts as tested unless CI passed all its required checks", () => {
  const answers = { yes: 0, flaky: 0, no: 0, sameTreeElsewhere: 0, engineSaysPassed: 0 };
  for (let seed = 1; seed <= draws(10_000); seed++) {
    const { runs, passed, spared, world } = playHistory(seed);
    const byTree = Map.groupBy(runs.values(), ({ run }) => run.commits.at(-1)?.treeSha ?? "none");
    for (const [tree, records] of byTree) {
      if (records.some(({ status }) => status === "succeeded")) answers.engineSaysPassed += 1;
      const verdict = judgeTree(records.map((record) => ({ record, entries: [] })));
      if (!isProved(verdict.reason)) {
        answers.no += 1;
        continue;
      }
      answers.yes += 1;
      const run = verdict.test?.record.run;
      const required = run?.required.map(({ name }) => name) ?? [];
      const content = world.host.contentOf(run?.commits.at(-1)?.commitSha ?? "");
      const told = { seed, tree, reason: verdict.reason };
      expect({ ...told, tree: treeOf(content) }).toEqual(told);
      expect({ ...told, isGreen: world.host.isGreen(content) }).toEqual({ ...told, isGreen: true });
      const isReported = passed.get(tree)?.some((names) => required.every((name) => names.has(name)));
      expect({ ...told, isReported }).toEqual({ ...told, isReported: true });
      expect(verdict.checks.map(({ name }) => name)).toEqual(required);
      const isTold = verdict.reason === "PASSED_DESPITE_FLAKY_TESTS";
      expect({ ...told, isTold }).toEqual({ ...told, isTold: spared.has(run?.id ?? "") });
      const ended = verdict.test?.record.endedAt ?? run?.startedAt ?? 0;
      const isOverruled = records.some(
        ({ status, endedAt }) => status === "failed" && (endedAt ?? 0) > ended,
      );
      expect({ ...told, isOverruled }).toEqual({ ...told, isOverruled: false });
      if (isTold) answers.flaky += 1;
      if (records.length > 1) answers.sameTreeElsewhere += 1;
    }
  }
  // The histories contain what could be mistaken.
  for (const count of Object.values(answers)) expect(count).toBeGreaterThan(0);
  expect(answers.engineSaysPassed).toBeGreaterThan(answers.yes);
});
