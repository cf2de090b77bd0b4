/** The thread that parses large bodies. It answers each job with `{ value }`, or with the `{ problem }` to send to the client. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort } from "node:worker_threads";
import { packRequest } from "../api/bodies/pack-request.ts";
import { readRequest } from "../api/bodies/read-request.ts";
import type { ReadRequestJob } from "../api/bodies/request-reader.ts";
import { ProblemError } from "../api/problems/problem.ts";
import { type ReadDeliveryJob, readLargePayload } from "../bot/deliveries/read-delivery.ts";

/** After a body above this size, garbage is collected at once, because V8 would wait until several of them are in memory. */
const largeBytes = 1024 * 1024;
/** Garbage is collected after this delay, so that it does not delay the answer. */
const answeredMs = 200;
setFlagsFromString("--expose-gc");
const gc: () => void = runInNewContext("gc");
let collecting: NodeJS.Timeout | null = null;

function collectGarbage(): void {
  if (collecting) clearTimeout(collecting);
  collecting = null;
  gc();
}

parentPort?.on("message", (job: ReadRequestJob | ReadDeliveryJob) => {
  const isLarge = job.body.length > largeBytes;
  if (collecting) collectGarbage();
  try {
    const { value, transfer } = executeJob(job);
    parentPort?.postMessage({ value }, transfer);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    parentPort?.postMessage({ problem: error.problem });
  }
  // Frees the memory now. Garbage collection may come much later.
  job.body.buffer.transfer(0);
  if (isLarge) collecting = setTimeout(collectGarbage, answeredMs);
});

function executeJob(job: ReadRequestJob | ReadDeliveryJob): { value: unknown; transfer: ArrayBuffer[] } {
  if (job.kind === "request") {
    const { packed, transfer } = packRequest(readRequest(job.name, Buffer.from(job.body.buffer)));
    return { value: packed, transfer };
  }
  return { value: readLargePayload(job.event, job.body), transfer: [] };
}
