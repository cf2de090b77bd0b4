import * as z from "zod";
import { isSameName } from "../../engine/model/names.ts";
import { allRuns, type QueueState, type RepositoryRef } from "../../engine/model/queue.ts";
import { isActive } from "../../engine/model/test-run.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { noteChanges } from "../../service/access/audit-trail.ts";
import { answeringOutages, readInTime } from "../../service/queues/answering-outages.ts";
import { actingFor, maxReason, onBehalf, senderOf } from "../access/on-behalf.ts";
import { endpoint, organisationEndpoint, presented } from "../endpoint.ts";
import { queueAddress } from "../schema/addresses.ts";
import {
  configuredQueueAnswer,
  finding,
  presentConfiguredQueue,
  presentDiagnosis,
  presentQueueWithEntries,
  queueAnswer,
  queueWithEntriesAnswer,
  unexamined,
} from "./queue-answer.ts";
import { queueChanges, requestedChanges, requestedSettings, statusesAgree } from "./queue-settings.ts";

export const createQueue = endpoint(
  {
    summary: "Creates the queue of a branch.",
    scope: "queue:admin",
    accepts: ["person"],
    needsNoQueue: true,
    // A misspelt setting is refused, not ignored.
    body: z.strictObject({ ...queueAddress.shape, ...queueChanges }).superRefine(statusesAgree),
    answer: configuredQueueAnswer,
  },
  async (body, { queues, principal }) => {
    const outcome = await queues.createQueue({
      repo: body.repo,
      branch: body.targetBranch,
      settings: requestedSettings(body),
      ...(body.state === undefined ? {} : { status: body.state }),
      actor: senderOf(principal),
    });
    return presented(outcome, (created) => presentConfiguredQueue(created, body));
  },
);

const answer = z.object({ deleted: z.boolean().describe("False when there was no such queue.") });

export const deleteQueue = endpoint(
  {
    summary: "Deletes an empty queue. A queue that does not exist counts as deleted.",
    scope: "queue:admin",
    accepts: ["person"],
    needsNoQueue: true,
    body: queueAddress,
    answer,
  },
  async ({ repo, targetBranch }, { queues, principal }) => {
    const outcome = await queues.deleteQueue({ repo, branch: targetBranch, actor: senderOf(principal) });
    if (outcome.ok && outcome.value === "absent") noteChanges({ changes: [] });
    return presented(outcome, (result) => ({ deleted: result === "deleted" }));
  },
);

export const getQueue = endpoint(
  {
    summary: "Reads a queue: its state, its configuration and its pull requests.",
    scope: "read",
    accepts: ["person"],
    body: queueAddress,
    answer: queueWithEntriesAnswer,
  },
  async ({ repo, targetBranch }, { queues }) =>
    presented(await queues.readQueue({ repo, branch: targetBranch }), presentQueueWithEntries),
);

const reason = z
  .string()
  .trim()
  .max(maxReason)
  .describe("Why, for people: shown as the reason of the state, and in the audit log.");

export const updateQueue = endpoint(
  {
    summary: "Changes a queue's configuration or its state. Absent fields stay as they are.",
    scope: "queue:admin",
    accepts: ["person"],
    // A misspelt setting is refused, not ignored.
    body: z
      .strictObject({ ...queueAddress.shape, ...queueChanges, reason: reason.optional(), ...onBehalf })
      .superRefine(statusesAgree),
    answer: configuredQueueAnswer,
  },
  async ({ reason, actor, via, ...body }, { queues, principal }) => {
    const by = actingFor(principal, { actor, via }).actor;
    const outcome = await queues.configureQueue({
      repo: body.repo,
      branch: body.targetBranch,
      changes: requestedChanges(body),
      actor: reason ? { ...by, reason } : by,
    });
    return presented(outcome, (examined) => presentConfiguredQueue(examined, body));
  },
);

const described = endpoint(
  {
    summary:
      "Finds what prevents a queue from working properly. The branch does not need to have a queue yet.",
    scope: "queue:admin",
    accepts: ["person"],
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

const listedQueue = z.object({
  repo: z.object({ host: z.string(), owner: z.string(), name: z.string() }),
  branch: z.string(),
  state: queueAnswer.shape.state,
  stateReason: queueAnswer.shape.stateReason,
  stateText: queueAnswer.shape.stateText,
  waiting: z.int().describe("The pull requests in the queue that are ready, those that are tested included."),
  notReady: z.int().describe("The pull requests that were submitted and are not ready."),
  testing: z.int().describe("The test runs in progress."),
});

export const listQueues = organisationEndpoint(
  {
    summary:
      "Lists the queues of the token's organisation, or of the repositories that a person may read, the oldest first.",
    scope: "read",
    accepts: ["person"],
    kind: "question",
    finds: false,
    body: z.strictObject({}),
    answer: z.object({
      queues: z.array(listedQueue),
      isComplete: z
        .boolean()
        .describe(
          "False when queues are missing because GitHub did not say whether the person may read their repositories.",
        ),
    }),
  },
  async (_body, { queues, roles, principal, organisation }) => {
    const person = { id: Number(principal.id), login: principal.name };
    const mayRead = async (repo: RepositoryRef) =>
      principal.kind === "person"
        ? (await roles.roleOf(person, repo)) !== "none"
        : isSameName(repo.owner, organisation);
    const listed = await answeringOutages(() => readInTime(() => queues.listQueues(mayRead)));
    return presented(listed, ({ states, isComplete }) => ({ queues: states.map(presentListed), isComplete }));
  },
);

function presentListed(state: QueueState): z.output<typeof listedQueue> {
  return {
    repo: state.repo,
    branch: state.branch,
    state: state.status,
    stateReason: state.statusReason.code,
    stateText: renderReason(state.statusReason),
    waiting: state.entries.size - state.unready.size,
    notReady: state.unready.size,
    testing: [...allRuns(state)].filter(isActive).length,
  };
}
