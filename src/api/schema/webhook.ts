import * as z from "zod";
import { eventNames, subscriptions } from "../../service/webhooks/event-names.ts";
import { timestamp } from "./timestamp.ts";

export const webhookId = z.string().min(1).max(100).describe("The webhook's id.");

/** The fields of a webhook that clients can set. */
export const webhookFields = {
  url: z.string().max(2_048).describe("Where events are posted to. HTTPS, at a public address."),
  events: z
    .array(z.enum(subscriptions))
    .min(1)
    .max(subscriptions.length)
    .describe("What it is told of: events, everything of one kind such as `pull_request.*`, or `*`."),
  description: z.string().max(200).describe("For people."),
};

export const webhookAnswer = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(subscriptions)),
  description: z.string(),
  enabled: z.boolean().describe("A disabled one is told nothing; what waits for it waits."),
  createdAt: timestamp,
  previousSecretUntil: timestamp
    .nullable()
    .describe("Until then the secret before the current one signs, too; null when only one signs."),
});

export const webhookWithSecret = webhookAnswer.extend({
  secret: z
    .string()
    .nullable()
    .describe("`whsec_…`, when it is new: it is shown once. Null when it is not, or not for the first time."),
});

export const deliveryAnswer = z.object({
  id: z.string().describe("The `webhook-id` of the message: the same each time that it is sent."),
  type: z.enum(eventNames).describe("What happened."),
  state: z
    .enum(["waiting", "delivered", "parked"])
    .describe("`waiting`: will be sent, perhaps again. `parked`: given up; resendWebhookDelivery sends it."),
  createdAt: timestamp,
  attempts: z.int().min(0),
  nextAttemptAt: timestamp
    .nullable()
    .describe("Not before then, and not before what is ahead of it; null when it has ended."),
  endedAt: timestamp.nullable().describe("When it was delivered or parked."),
  lastStatus: z.int().nullable().describe("What the endpoint answered last; null when it did not."),
  lastError: z.string().nullable(),
});
