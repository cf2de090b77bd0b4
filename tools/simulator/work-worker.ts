import { parentPort, workerData } from "node:worker_threads";

/** The kinds of work of a thread, each of which loads only its own modules. */
const works = {
  cell: async () => (await import("./grid/cell.ts")).runCell,
  smallCell: async () => (await import("./grid/small-cell.ts")).runSmallCell,
  soak: async () => (await import("./soak/run-seeds.ts")).runSeeds,
  service: async () => (await import("./service/play-service.ts")).runServiceSeeds,
};

export type Work = keyof typeof works;

/** A worker thread that does one job after the other, and sends the result of each. */
if (parentPort) {
  const port = parentPort;
  const run = (await works[workerData as Work]()) as (job: unknown) => unknown;
  port.on("message", async (job) => port.postMessage(await run(job)));
}
