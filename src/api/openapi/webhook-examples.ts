import type { Examples } from "./examples.ts";

const webhook = {
  id: "wh_5f0a5b0e1c2d3e4f",
  url: "https://hooks.acme.example/trainyard",
  events: ["pull_request.merged", "pull_request.failed"],
  description: "Tells the chat",
  enabled: true,
  createdAt: "2026-03-01T12:00:00.000Z",
  previousSecretUntil: null,
  format: "json",
} as const;
const shownWebhook = { ...webhook, events: [...webhook.events], secret: "whsec_…" };
const delivery = {
  id: "msg_610ca880-fbac-47a5-91f6-46602eb21977_42",
  type: "pull_request.merged",
  state: "parked",
  createdAt: "2026-03-01T12:00:00.000Z",
  attempts: 31,
  nextAttemptAt: null,
  endedAt: "2026-03-02T12:00:00.000Z",
  lastStatus: 500,
  lastError: "it answered 500",
} as const;

export const webhookExamples: Pick<
  Examples,
  | "createWebhook"
  | "listWebhooks"
  | "updateWebhook"
  | "deleteWebhook"
  | "listWebhookDeliveries"
  | "resendWebhookDelivery"
> = {
  createWebhook: {
    body: { url: webhook.url, events: [...webhook.events], description: webhook.description },
    answer: shownWebhook,
  },
  listWebhooks: { body: {}, answer: { webhooks: [{ ...webhook, events: [...webhook.events] }] } },
  updateWebhook: {
    body: { id: webhook.id, rotateSecret: true },
    answer: { ...shownWebhook, previousSecretUntil: "2026-03-02T12:00:00.000Z" },
  },
  deleteWebhook: { body: { id: webhook.id }, answer: { deleted: true } },
  listWebhookDeliveries: {
    body: { id: webhook.id, state: "parked", take: 20 },
    answer: { deliveries: [delivery], nextCursor: null },
  },
  resendWebhookDelivery: {
    body: { id: webhook.id, deliveryId: delivery.id },
    answer: { ...delivery, state: "waiting", attempts: 0, nextAttemptAt: delivery.endedAt, endedAt: null },
  },
};
