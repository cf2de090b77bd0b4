import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import { drawScenario } from "./draw-scenario.ts";
import { play } from "./play.ts";

/** Consecutive seeds, excluding the last one. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
}

export interface SeedsPlayed {
  readonly seeds: number;
  /** Number of the engine's events. */
  readonly events: number;
  readonly broken: readonly { readonly seed: number; readonly violation: string }[];
}

/**
 * Plays the scenario of every seed of a range. The judge checks all invariants.
 * @param narrowed initial settings that are not drawn at random
 */
export function runSeeds({ from, to }: SeedRange, narrowed: Partial<QueueSettings> = {}): SeedsPlayed {
  let events = 0;
  const broken: { seed: number; violation: string }[] = [];
  for (let seed = from; seed < to; seed++) {
    const played = play(drawScenario(seed, narrowed));
    events += played.events;
    if (played.violation !== null) broken.push({ seed, violation: played.violation });
  }
  return { seeds: to - from, events, broken };
}

interface SeedWork {
  /** The worker thread that plays ranges of seeds. */
  readonly worker: URL;
  readonly seedsAtOnce: number;
}

const soak: SeedWork = { worker: new URL("./seeds-worker.ts", import.meta.url), seedsAtOnce: 100 };

/** Plays the scenarios of a range of seeds on all processors, and reports the results as they arrive. */
export async function runSeedsOnAllCores(
  { from, to }: SeedRange,
  tell: (played: SeedsPlayed) => void,
  { worker: script, seedsAtOnce } = soak,
): Promise<void> {
  const ranges = split(from, to, seedsAtOnce);
  const work = async () => {
    const worker = new Worker(script);
    try {
      for (const range of ranges) {
        worker.postMessage(range);
        const [played]: SeedsPlayed[] = await once(worker, "message");
        if (played) tell(played);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

function* split(from: number, to: number, seedsAtOnce: number): Generator<SeedRange> {
  for (let start = from; start < to; start += seedsAtOnce) {
    yield { from: start, to: Math.min(start + seedsAtOnce, to) };
  }
}
