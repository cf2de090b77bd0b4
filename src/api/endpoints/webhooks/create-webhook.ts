import * as z from "zod";
import { organisationEndpoint } from "../../endpoint.ts";
import { presentShown, withoutSecret } from "../../present/present-webhook.ts";
import { presented } from "../../present/presented.ts";
import { webhookFields, webhookWithSecret } from "../../schema/webhook.ts";

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
    presented(await webhooks.create({ organisation, ...body }), presentShown),
);
