import * as z from "zod";
import { organisationEndpoint } from "../../endpoint.ts";
import { presentDelivery } from "../../present/present-webhook.ts";
import { presented } from "../../present/presented.ts";
import { deliveryAnswer, webhookId } from "../../schema/webhook.ts";

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
