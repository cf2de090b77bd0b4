import * as z from "zod";
import { accepted } from "../../../service/runtime/outcome.ts";
import { organisationEndpoint } from "../../endpoint.ts";
import { presentWebhook } from "../../present/present-webhook.ts";
import { webhookAnswer } from "../../schema/webhook.ts";

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
