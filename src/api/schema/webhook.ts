import * as z from "zod";
import { eventNames, subscriptions, webhookFormats } from "../../service/webhooks/event-names.ts";
import { anyCase } from "./any-case.ts";
import { timestamp } from "./timestamp.ts";

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
