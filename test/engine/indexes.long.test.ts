import { expect, test } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import { positionOf } from "../../src/engine/fold/entry-index.ts";
import { type QueueState, runOf } from "../../src/engine/model/queue.ts";
import { isActive, type TestRun } from "../../src/engine/model/test-run.ts";
import { drawScenario } from "../../tools/simulator/soak/draw-scenario.ts";
import { play } from "../../tools/simulator/soak/play.ts";

/** Compares the indexes with the same facts computed from the whole state. */
function compare(state: QueueState): void {
  const runs = [...state.runs.values()];
  for (const { entry, run } of state.line.entries) {
    expect(entry).toBe(state.entries.get(entry.pr));
    expect(run).toBe(runOf(state, entry));
  }
  const active = (kind: TestRun["kind"]) => runs.filter((run) => run.kind === kind && isActive(run)).length;
  const expires = ({ state: at, deadline }: TestRun) => at === "running" && deadline !== null;
  expect({
    active: state.runIndex.active,
    deadlines: [...state.runIndex.deadlines.values()].sort(),
    probes: [...state.runIndex.probes.values()].flat().sort(),
  }).toEqual({
    active: { main: active("main"), bisection: active("bisection") },
    deadlines: runs.filter(expires).map(({ id }) => id),
    probes: runs.filter(({ bisectionId }) => bisectionId !== null).map(({ id }) => id),
  });
  const order = [state.direct, state.waiting, state.held, state.delayed].flatMap((one) => [...one.values()]);
  const ready = [...state.line, ...order];
  expect(ready.map((pr) => positionOf(state, pr))).toEqual(ready.map((_pr, index) => index + 1));
  expect([...state.unready.values(), 0].map((pr) => positionOf(state, pr)).filter(Boolean)).toEqual([]);
}

test("the indexes of a queue agree with its state after every decision of the soak scenarios", () => {
  const seen = { line: 0, probes: 0, held: 0, delayed: 0, direct: 0 };
  for (let seed = 1; seed <= 40; seed++) {
    const { violation } = play(drawScenario(seed), (state, input, context) => {
      const decided = decide(state, input, context);
      const after = decided.state;
      compare(after);
      seen.line = Math.max(seen.line, after.line.length);
      seen.probes += after.runIndex.probes.size;
      for (const place of ["held", "delayed", "direct"] as const) seen[place] += after[place].size;
      return decided;
    });
    expect({ seed, violation }).toEqual({ seed, violation: null });
  }
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
});
