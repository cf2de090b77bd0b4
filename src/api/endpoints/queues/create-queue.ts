import * as z from "zod";
import { tokenOf } from "../../access/acting-for.ts";
import { endpoint } from "../../endpoint.ts";
import { presentConfiguredQueue } from "../../present/present-queue.ts";
import { presented } from "../../present/presented.ts";
import { requestedSettings } from "../../requested-settings.ts";
import { queueAddress } from "../../schema/queue-address.ts";
import { configuredQueueAnswer } from "../../schema/queue-answer.ts";
import { queueChanges, statusesAgree } from "../../schema/queue-settings.ts";

export const createQueue = endpoint(
  {
    summary: "Creates the queue of a branch.",
    scope: "queue:admin",
    // A misspelt setting is refused, not ignored.
    body: z.strictObject({ ...queueAddress.shape, ...queueChanges }).superRefine(statusesAgree),
    answer: configuredQueueAnswer,
  },
  async (body, { queues, principal }) => {
    const queue = { repo: body.repo, branch: body.targetBranch, actor: tokenOf(principal) };
    const created = await queues.createQueue({ ...queue, settings: requestedSettings(body) });
    // A new queue is running. Nothing can be in it yet when its requested state is set.
    if (!created.ok) return created;
    const { view, diagnosis } = created.value;
    const outcome =
      body.state !== undefined && body.state !== view.status
        ? await queues.configureQueue({ ...queue, changes: { status: body.state } })
        : created;
    return presented(outcome, (now) => presentConfiguredQueue({ ...now, diagnosis }, body));
  },
);
