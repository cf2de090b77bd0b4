import * as z from "zod";
import { actingFor, onBehalf, tokenOf } from "../access/on-behalf.ts";
import { endpoint, presented } from "../endpoint.ts";
import { queueAddress } from "../schema/addresses.ts";
import {
  configuredQueueAnswer,
  finding,
  presentConfiguredQueue,
  presentDiagnosis,
  presentQueueWithEntries,
  queueWithEntriesAnswer,
  unexamined,
} from "./queue-answer.ts";
import { queueChanges, requestedChanges, requestedSettings, statusesAgree } from "./queue-settings.ts";

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

const answer = z.object({ deleted: z.boolean().describe("False when there was no such queue.") });

export const deleteQueue = endpoint(
  {
    summary: "Deletes an empty queue. A queue that does not exist counts as deleted.",
    scope: "queue:admin",
    body: queueAddress,
    answer,
  },
  async ({ repo, targetBranch }, { queues, principal }) => {
    const outcome = await queues.deleteQueue({ repo, branch: targetBranch, actor: tokenOf(principal) });
    return presented(outcome, (result) => ({ deleted: result === "deleted" }));
  },
);

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

const described = endpoint(
  {
    summary:
      "Finds what prevents a queue from working properly. The branch does not need to have a queue yet.",
    scope: "queue:admin",
    body: queueAddress,
    answer: z.object({
      findings: z.array(finding).describe("The most severe first; empty when nothing is wrong."),
      unexamined: z.array(unexamined).describe("What could not be examined, and why."),
    }),
  },
  async ({ repo, targetBranch }, { doctor }) =>
    presented(await doctor.examine({ repo, branch: targetBranch }), presentDiagnosis),
);

/** It requires `queue:admin`, but changes nothing. */
export const examineQueue = { ...described, kind: "question" as const };
