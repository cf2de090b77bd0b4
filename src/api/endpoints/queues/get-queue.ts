import { endpoint } from "../../endpoint.ts";
import { presentQueueWithEntries } from "../../present/present-queue.ts";
import { presented } from "../../present/presented.ts";
import { queueAddress } from "../../schema/queue-address.ts";
import { queueWithEntriesAnswer } from "../../schema/queue-answer.ts";

export const getQueue = endpoint(
  {
    summary: "Reads a queue: its state, its configuration and its pull requests.",
    scope: "read",
    body: queueAddress,
    answer: queueWithEntriesAnswer,
  },
  async ({ repo, targetBranch }, { queues }) =>
    presented(await queues.readQueue({ repo, branch: targetBranch }), presentQueueWithEntries),
);
