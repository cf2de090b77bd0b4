import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { Progress } from "../progress.ts";

/**
 * Runs cells on all processors, with one thread of `module` for each. A thread responds to one message with one result.
 * @param tell called with each result as it arrives
 */
export async function runCells<Cell, Result>(
  cells: readonly Cell[],
  module: "cell-worker" | "small-cell-worker",
  tell: (result: Result) => void,
): Promise<Result[]> {
  const waiting = cells.values();
  const results: Result[] = [];
  const progress = new Progress(process.stderr, "workloads:");
  const work = async () => {
    const worker = new Worker(new URL(`./${module}.ts`, import.meta.url));
    try {
      for (const cell of waiting) {
        worker.postMessage(cell);
        const [found]: [Result] = (await once(worker, "message")) as [Result];
        results.push(found);
        progress.end();
        tell(found);
        progress.advance(results.length, cells.length);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), cells.length) }, work));
  progress.end();
  return results;
}
