/** The thread that parses large bodies. It answers each job with `{ value }`, or with `{ problem }` to be told to the sender. */
import { parentPort } from "node:worker_threads";
import { packRequest } from "../api/pack-request.ts";
import { ProblemError } from "../api/problem.ts";
import { readRequest } from "../api/read-request.ts";
import type { ReadRequestJob } from "../api/request-reader.ts";
import { type ReadDeliveryJob, readPayload, trimPayload } from "../bot/read-delivery.ts";

parentPort?.on("message", (job: ReadRequestJob | ReadDeliveryJob) => {
  try {
    const { value, transfer } = carryOut(job);
    parentPort?.postMessage({ value }, transfer);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    parentPort?.postMessage({ problem: error.problem });
  }
});

function carryOut(job: ReadRequestJob | ReadDeliveryJob): { value: unknown; transfer: ArrayBuffer[] } {
  if (job.kind === "request") {
    const { packed, transfer } = packRequest(readRequest(job.name, Buffer.from(job.body.buffer)));
    return { value: packed, transfer };
  }
  const payload = readPayload(job.body);
  return { value: payload && trimPayload(job.event, payload), transfer: [] };
}
