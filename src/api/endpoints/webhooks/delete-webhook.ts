import * as z from "zod";
import { accepted } from "../../../service/runtime/outcome.ts";
import { organisationEndpoint } from "../../endpoint.ts";
import { webhookId } from "../../schema/webhook.ts";

export const deleteWebhook = organisationEndpoint(
  {
    summary: "Deletes a webhook and its waiting deliveries. A webhook that does not exist counts as deleted.",
    scope: "admin",
    kind: "command",
    finds: false,
    body: z.strictObject({ id: webhookId }),
    answer: z.object({ deleted: z.boolean().describe("False when there was none.") }),
  },
  async ({ id }, { webhooks, organisation }) =>
    accepted({ deleted: (await webhooks.delete(organisation, id)) === "deleted" }),
);
