import * as z from "zod";
import { actingFor } from "../../access/acting-for.ts";
import { endpoint } from "../../endpoint.ts";
import { presentConfiguredQueue } from "../../present/present-queue.ts";
import { presented } from "../../present/presented.ts";
import { requestedChanges } from "../../requested-settings.ts";
import { onBehalf } from "../../schema/on-behalf.ts";
import { queueAddress } from "../../schema/queue-address.ts";
import { configuredQueueAnswer } from "../../schema/queue-answer.ts";
import { queueChanges, statusesAgree } from "../../schema/queue-settings.ts";

export const updateQueue = endpoint(
  {
    summary: "Changes a queue's configuration or its state. Absent fields stay as they are.",
    scope: "queue:admin",
    // A misspelt setting is refused, not ignored.
    body: z.strictObject({ ...queueAddress.shape, ...queueChanges, ...onBehalf }).superRefine(statusesAgree),
    answer: configuredQueueAnswer,
  },
  async ({ actor, via, ...body }, { queues, principal }) => {
    const outcome = await queues.configureQueue({
      repo: body.repo,
      branch: body.targetBranch,
      changes: requestedChanges(body),
      actor: actingFor(principal, { actor, via }).actor,
    });
    return presented(outcome, (examined) => presentConfiguredQueue(examined, body));
  },
);
