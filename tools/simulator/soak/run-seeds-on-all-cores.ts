import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { SeedRange, SeedsPlayed } from "./run-seeds.ts";

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
