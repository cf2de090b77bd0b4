import * as z from "zod";
import { noteChanges } from "../../service/access/audit-trail.ts";
import { accepted, type Outcome } from "../../service/runtime/outcome.ts";
import {
  type EventName,
  eventNames,
  type Subscription,
  subscriptions,
  webhookFormats,
} from "../../service/webhooks/event-names.ts";

import { describeWebhookChange } from "../../service/webhooks/webhook-changes.ts";
import type { ShownWebhook } from "../../service/webhooks/webhooks.ts";
import type { WebhookDelivery } from "../../store/webhooks/webhook-deliveries.ts";
import type { WebhookEndpoint } from "../../store/webhooks/webhook-endpoints.ts";

import { organisationEndpoint, presented } from "../endpoint.ts";
import { anyCase, renderTimestamp, timestamp } from "../schema/fields.ts";

export const webhookId = z.string().min(1).max(100).describe("The webhook's id.");

/** The fields of a webhook that clients can set. */
export const webhookFields = {
  url: z.string().max(2_048).describe("Where events are posted to. HTTPS, at a public address."),
  events: z
    .array(z.enum(subscriptions))
    .min(1)
    .max(subscriptions.length)
    .describe(
      "The events that it receives: names, all of one kind such as `pull_request.*`, or `*` for all.",
    ),
  description: z.string().max(200).describe("A description for people."),
  format: anyCase(webhookFormats).describe(
    "The form of its messages. `json`: as documented. `slack`, `teams`: what an incoming webhook of Slack, or a workflow of Microsoft Teams, takes as it is.",
  ),
};

export const webhookAnswer = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(subscriptions)),
  description: z.string(),
  format: z.enum(webhookFormats),
  enabled: z.boolean().describe("A disabled webhook receives nothing; its waiting deliveries are kept."),
  createdAt: timestamp,
  previousSecretUntil: timestamp
    .nullable()
    .describe(
      "Until then, deliveries are also signed with the previous secret; null when there is only one secret.",
    ),
});

export const webhookWithSecret = webhookAnswer.extend({
  secret: z.string().nullable().describe("The new secret, `whsec_…`. It is shown once; null otherwise."),
});

export const deliveryAnswer = z.object({
  id: z.string().describe("The `webhook-id` of the message: the same at each attempt."),
  type: z.enum(eventNames).describe("What happened."),
  state: z
    .enum(["waiting", "delivered", "parked"])
    .describe("`waiting`: will be sent, perhaps again. `parked`: given up; resendWebhookDelivery sends it."),
  createdAt: timestamp,
  attempts: z.int().min(0),
  nextAttemptAt: timestamp
    .nullable()
    .describe(
      "The earliest time of the next attempt, which also waits for the deliveries ahead of it; null when it has ended.",
    ),
  endedAt: timestamp.nullable().describe("When it was delivered or parked."),
  lastStatus: z.int().nullable().describe("The endpoint's last answer; null when it did not answer."),
  lastError: z.string().nullable(),
});

export function presentWebhook(webhook: WebhookEndpoint): z.output<typeof webhookAnswer> {
  const { id, url, events, description, format, enabled, createdAt, previous } = webhook;
  return {
    ...{ id, url, description, format, enabled },
    events: [...events] as Subscription[],
    createdAt: renderTimestamp(createdAt),
    previousSecretUntil: previous && renderTimestamp(previous.until),
  };
}

/** Presents a webhook that was created or changed, and notes in the audit log what was changed. */
function presentChanged(changed: Outcome<ShownWebhook>): Outcome<z.output<typeof webhookWithSecret>> {
  if (changed.ok) noteChanges(describeWebhookChange(changed.value.before, changed.value.webhook));
  return presented(changed, ({ webhook, secret }) => ({ ...presentWebhook(webhook), secret }));
}

export function withoutSecret<Answer extends { readonly secret: string | null }>(answer: Answer): Answer {
  return { ...answer, secret: null };
}

export function presentDelivery(delivery: WebhookDelivery): z.output<typeof deliveryAnswer> {
  const { messageId, type, state, createdAt, attempts, notBefore, endedAt, lastStatus, lastError } = delivery;
  return {
    id: messageId,
    type: type as EventName,
    ...{ state, attempts, lastStatus, lastError },
    createdAt: renderTimestamp(createdAt),
    nextAttemptAt: state === "waiting" ? renderTimestamp(notBefore) : null,
    endedAt: endedAt === null ? null : renderTimestamp(endedAt),
  };
}

export const createWebhook = organisationEndpoint(
  {
    summary: "Creates a webhook, which receives events about the organisation's pull requests.",
    scope: "admin",
    kind: "command",
    finds: false,
    body: z.strictObject({
      url: webhookFields.url,
      events: webhookFields.events.default(["*"]),
      description: webhookFields.description.default(""),
      format: webhookFields.format.default("json"),
    }),
    answer: webhookWithSecret,
    withoutSecret,
  },
  async (body, { webhooks, organisation }) =>
    presentChanged(await webhooks.create({ organisation, ...body })),
);

export const listWebhooks = organisationEndpoint(
  {
    summary: "Lists the webhooks of the organisation, oldest first, without their secrets.",
    scope: "admin",
    kind: "question",
    finds: false,
    body: z.strictObject({}),
    answer: z.object({ webhooks: z.array(webhookAnswer) }),
  },
  async (_body, { webhooks, organisation }) =>
    accepted({ webhooks: (await webhooks.list(organisation)).map(presentWebhook) }),
);

export const updateWebhook = organisationEndpoint(
  {
    summary: "Changes a webhook, or gives it a new secret.",
    scope: "admin",
    kind: "command",
    finds: true,
    body: z.strictObject({
      id: webhookId,
      url: webhookFields.url.optional(),
      events: webhookFields.events.optional(),
      description: webhookFields.description.optional(),
      format: webhookFields.format.optional(),
      enabled: z.boolean().optional().describe("Whether it receives deliveries."),
      rotateSecret: z
        .boolean()
        .optional()
        .describe("Creates a new secret. For a day, deliveries are also signed with the old one."),
    }),
    answer: webhookWithSecret,
    withoutSecret,
  },
  async ({ id, ...changes }, { webhooks, organisation }) =>
    presentChanged(await webhooks.update(organisation, id, changes)),
);

export const deleteWebhook = organisationEndpoint(
  {
    summary: "Deletes a webhook and its waiting deliveries. A webhook that does not exist counts as deleted.",
    scope: "admin",
    kind: "command",
    finds: false,
    body: z.strictObject({ id: webhookId }),
    answer: z.object({ deleted: z.boolean().describe("False when there was none.") }),
  },
  async ({ id }, { webhooks, organisation }) => {
    const deleted = await webhooks.delete(organisation, id);
    noteChanges(describeWebhookChange(deleted, null));
    return accepted({ deleted: deleted !== null });
  },
);

const place = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be a nextCursor that this endpoint has answered" })
  .transform(Number);

export const listWebhookDeliveries = organisationEndpoint(
  {
    summary: "Lists the deliveries of a webhook: sent, waiting and failed, newest first.",
    scope: "admin",
    kind: "question",
    finds: true,
    body: z.strictObject({
      id: webhookId,
      state: anyCase(["waiting", "delivered", "parked"]).optional().describe("Only those in this state."),
      cursor: place.optional().describe("The nextCursor of the previous page."),
      take: z.int().min(1).max(100).default(50).describe("The largest number of entries to answer."),
    }),
    answer: z.object({
      deliveries: z.array(deliveryAnswer),
      nextCursor: z.string().nullable().describe("The cursor of the next page; null on the last one."),
    }),
  },
  async ({ id, state, cursor, take }, { webhooks, organisation }) => {
    const query = { state: state ?? null, before: cursor ?? null, limit: take };
    return presented(await webhooks.deliveries(organisation, id, query), ({ deliveries, next }) => ({
      deliveries: deliveries.map(presentDelivery),
      nextCursor: next === null ? null : String(next),
    }));
  },
);

export const resendWebhookDelivery = organisationEndpoint(
  {
    summary:
      "Sends a delivery again, after those that wait for the same pull request, and retries for another day.",
    scope: "admin",
    kind: "command",
    finds: true,
    body: z.strictObject({
      id: webhookId,
      deliveryId: z.string().min(1).max(200).describe("The id of the delivery, as listed."),
    }),
    answer: deliveryAnswer,
  },
  async ({ id, deliveryId }, { webhooks, organisation }) =>
    presented(await webhooks.resend(organisation, id, deliveryId), presentDelivery),
);
