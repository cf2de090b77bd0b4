import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { SeedRange, SeedsPlayed } from "./soak/run-seeds.ts";
import type { Work } from "./work-worker.ts";

/** Runs jobs on all processors, one after the other on each, and reports the results as they arrive. */
export async function runOnAllCores<Job, Result>(
  work: Work,
  jobs: Iterable<Job>,
  tell: (result: Result) => void,
): Promise<void> {
  const waiting = Iterator.from(jobs);
  const runOne = async () => {
    const worker = new Worker(new URL("./work-worker.ts", import.meta.url), { workerData: work });
    try {
      for (const job of waiting) {
        worker.postMessage(job);
        const [result]: Result[] = await once(worker, "message");
        tell(result as Result);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runOne));
}

interface Search {
  readonly from: number;
  readonly seeds: number;
  /** The number of seeds that a thread plays between two reports. */
  readonly atOnce: number;
  /** The plural noun for what a seed is played as, such as `lives`. */
  readonly noun: string;
}

const progressMs = 5_000;

/** Plays consecutive seeds on all processors, and reports the progress from time to time. Returns the sum of the results. */
export async function searchSeeds(work: "soak" | "service", { from, seeds, atOnce, noun }: Search) {
  const began = performance.now();
  const broken: SeedsPlayed["broken"][number][] = [];
  let [done, events, told] = [0, 0, began];
  await runOnAllCores(work, split(from, from + seeds, atOnce), (played: SeedsPlayed) => {
    done += played.seeds;
    events += played.events;
    broken.push(...played.broken);
    if (performance.now() - told < progressMs) return;
    told = performance.now();
    console.error(`${done} of ${seeds} ${noun}, ${events} events, ${broken.length} violations`);
  });
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return { seeds: done, events, seconds, broken: broken.sort((a, b) => a.seed - b.seed) };
}

function* split(from: number, to: number, atOnce: number): Generator<SeedRange> {
  for (let start = from; start < to; start += atOnce) yield { from: start, to: Math.min(start + atOnce, to) };
}
