import { decide } from "../../../src/engine/decide.ts";
import type { QueueState } from "../../../src/engine/model/queue.ts";
import type { Decide } from "../../../src/replay/engine-run/queue-driver.ts";
import type { Scenario } from "./scenario.ts";
import { World } from "./world.ts";

/** The result of a scenario. */
interface Played {
  /** Number of the engine's events. */
  readonly events: number;
  /** A digest of all events, in order. */
  readonly trace: string;
  /** The first violation, as `I13: what happened`; null = there is none. */
  readonly violation: string | null;
  /** Every kind and every reason of the events that occurred. */
  readonly reached: ReadonlySet<string>;
}

/** Maximum number of rounds of work at the end. After these, the queue counts as stuck. */
const rounds = 3_000;
const lookEvery = 24;
/** A prime number, so that it does not coincide with other periods. */
const askEvery = 7;

/** Plays a scenario to its end. After its steps there are no more faults, and every entry must end. */
export function play(scenario: Scenario, decideWith: Decide = decide): Played {
  const world = new World(scenario, decideWith);
  const violation = () => world.judge.violations.texts[0] ?? null;
  const result = (): Played => ({
    events: world.queue.events,
    trace: world.queue.trace,
    violation: violation(),
    reached: world.queue.reached,
  });
  try {
    for (const [index, step] of scenario.steps.entries()) {
      world.step(step);
      if (index % lookEvery === 0) world.judge.checkFold(world.queue.state);
      world.judge.status.check(world.queue.state);
      if (index % askEvery === 0) world.judge.checkExplained(world.queue.state, world.queue.now);
      if (violation()) return result();
    }
    finish(world, () => violation() !== null);
    world.judge.checkEnd(world.queue.state, world.branches);
  } catch (error) {
    world.judge.violations.add("crash", error instanceof Error ? error.message : String(error));
  }
  return result();
}

function finish(world: World, isBroken: () => boolean): void {
  const { queue } = world;
  world.archive(false);
  world.judge.status.check(queue.state);
  for (let round = 0; round < rounds && isAtWork(queue.state) && !isBroken(); round++) {
    if (queue.state.status !== "running") world.configure({ status: "running" });
    if (round % 10 === 0) world.settle();
    world.judge.isSettled = true;
    for (const kind of ["examine", "build", "rerun", "report", "merge", "advance_try"] as const)
      world.step({ do: kind, n: round });
    if (world.isIdle) world.wake();
  }
}

function isAtWork({ entries, tries }: QueueState): boolean {
  return entries.size + tries.size > 0;
}
