import * as z from "zod";
import { organisationEndpoint } from "../../endpoint.ts";
import { presentDelivery } from "../../present/present-webhook.ts";
import { presented } from "../../present/presented.ts";
import { anyCase } from "../../schema/any-case.ts";
import { deliveryAnswer, webhookId } from "../../schema/webhook.ts";

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
