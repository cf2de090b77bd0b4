import type * as z from "zod";
import type { EventName, Subscription } from "../../service/webhooks/event-names.ts";
import type { ShownWebhook } from "../../service/webhooks/webhooks.ts";
import type { WebhookDelivery } from "../../store/webhooks/webhook-deliveries.ts";
import type { WebhookEndpoint } from "../../store/webhooks/webhook-endpoints.ts";
import type { deliveryAnswer, webhookAnswer, webhookWithSecret } from "../schema/webhook.ts";
import { timestamp } from "./timestamp.ts";

export function presentWebhook(webhook: WebhookEndpoint): z.output<typeof webhookAnswer> {
  const { id, url, events, description, format, enabled, createdAt, previous } = webhook;
  return {
    ...{ id, url, description, format, enabled },
    events: [...events] as Subscription[],
    createdAt: timestamp(createdAt),
    previousSecretUntil: previous && timestamp(previous.until),
  };
}

export function presentShown({ webhook, secret }: ShownWebhook): z.output<typeof webhookWithSecret> {
  return { ...presentWebhook(webhook), secret };
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
    createdAt: timestamp(createdAt),
    nextAttemptAt: state === "waiting" ? timestamp(notBefore) : null,
    endedAt: endedAt === null ? null : timestamp(endedAt),
  };
}
