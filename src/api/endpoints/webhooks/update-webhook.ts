import * as z from "zod";
import { organisationEndpoint } from "../../endpoint.ts";
import { presentShown, withoutSecret } from "../../present/present-webhook.ts";
import { presented } from "../../present/presented.ts";
import { webhookFields, webhookId, webhookWithSecret } from "../../schema/webhook.ts";

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
    presented(await webhooks.update(organisation, id, changes), presentShown),
);
