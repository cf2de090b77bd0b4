import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Cell, CellResult } from "./cell.ts";

/** Runs the cells on all processors, and yields the results of each as they come. */
export async function runCells(
  cells: readonly Cell[],
  tell: (results: readonly CellResult[]) => void,
): Promise<CellResult[]> {
  const waiting = cells.values();
  const results: CellResult[] = [];
  const work = async () => {
    const worker = new Worker(new URL("./cell-worker.ts", import.meta.url));
    try {
      for (const cell of waiting) {
        worker.postMessage(cell);
        const [found]: CellResult[][] = await once(worker, "message");
        results.push(...(found ?? []));
        tell(found ?? []);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), cells.length) }, work));
  return results;
}
