import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { SeedRange, SeedsPlayed } from "./run-seeds.ts";

const seedsAtOnce = 100;

/** Plays the scenarios of a range of seeds on all processors, and reports the results as they arrive. */
export async function runSeedsOnAllCores(
  { from, to }: SeedRange,
  tell: (played: SeedsPlayed) => void,
): Promise<void> {
  const ranges = split(from, to);
  const work = async () => {
    const worker = new Worker(new URL("./seeds-worker.ts", import.meta.url));
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

function* split(from: number, to: number): Generator<SeedRange> {
  for (let start = from; start < to; start += seedsAtOnce) {
    yield { from: start, to: Math.min(start + seedsAtOnce, to) };
  }
}
