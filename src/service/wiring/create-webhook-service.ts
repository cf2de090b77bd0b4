import { SecretSeal } from "../access/secret-seal.ts";
import type { ServiceParts } from "../service-parts.ts";
import { WebhookSender } from "../webhooks/webhook-sender.ts";
import { WebhookSweeper } from "../webhooks/webhook-sweeper.ts";
import { Webhooks } from "../webhooks/webhooks.ts";

/** Wires outbound webhooks: managing, sending and deleting them. Nothing runs yet. */
export function createWebhookService({ stores, poster, clock, ids, log, settings }: ServiceParts) {
  const { webhookEndpoints: endpoints, webhookDeliveries: deliveries } = stores;
  const seal = new SecretSeal(settings.encryptionKeys);
  const sender = new WebhookSender({
    endpoints,
    deliveries,
    poster,
    seal,
    owner: ids.next(),
    clock,
    random: Math.random,
    log,
    leaseMs: settings.leaseMs,
  });
  const sweeper = new WebhookSweeper(deliveries, clock, log, settings.webhookRetentionMs);
  return {
    webhooks: new Webhooks({
      endpoints,
      deliveries,
      poster,
      seal,
      clock,
      onChange: () => sender.lookAgain(),
    }),
    /** Call when messages were added. */
    wake(): void {
      sender.wake();
    },
    sender,
    sweeper,
  };
}
