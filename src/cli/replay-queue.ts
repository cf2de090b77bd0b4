/** The worker thread of the what-if page: opens the database, replays a queue, and posts the answer in parts. */
import { parentPort, workerData } from "node:worker_threads";
import type { WhatIfJob } from "../dashboard/what-if/what-if-thread.ts";
import { answerWhatIf } from "../replay/what-if.ts";
import { openRecordings } from "../store/sqlite/open-recordings.ts";

const { databaseUrl, queueId, since, mostEvents, question } = workerData as WhatIfJob;
const recordings = await openRecordings(databaseUrl);
try {
  const events = await recordings.eventsSince(queueId, since, mostEvents);
  if (events === null) parentPort?.postMessage({ kind: "too_large" });
  else for (const part of answerWhatIf(events, question)) parentPort?.postMessage(part);
} finally {
  await recordings.close();
}
