import { writeSync } from "node:fs";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { buildCommit, buildEvents } from "../contract/build-queue.ts";
import { buildTask } from "../contract/build-task.ts";

/**
 * Appends to all given queues of a database concurrently until the process is killed. Prints every
 * acknowledged commit as `queue seq`, synchronously, because a stream could still buffer it when the process
 * is killed.
 */
const [databaseUrl = "", ...queueIds] = process.argv.slice(2);
const { queues } = await openStore(databaseUrl);

async function appendForever(queueId: string): Promise<never> {
  let seq = (await queues.load(queueId)).events.length;
  for (;;) {
    const events = buildEvents(seq + 1, seq + 1 + (seq % 3));
    seq += events.length;
    const task = buildTask(seq, { stream: `${queueId}/${seq}` });
    const answer = await queues.commit(buildCommit({ queueId, events, tasks: [task] }));
    if (answer !== "committed") throw new Error(`${queueId} at ${seq}: ${answer}`);
    writeSync(1, `${queueId} ${seq}\n`);
  }
}

await Promise.all(queueIds.map(appendForever));
