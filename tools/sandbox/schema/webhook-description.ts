import { JsonSchemas, readDescription } from "./json-schemas.ts";
import type { WebhookName } from "./webhook-names.ts";

interface WebhookDescription extends Record<string, unknown> {
  payloads: Record<string, unknown>;
  schemas: Record<string, unknown>;
}

let schemas: JsonSchemas | undefined;

/** Returns the problem of a webhook's payload, or null. */
export function checkPayload(name: WebhookName, payload: unknown): string | null {
  if (schemas === undefined) {
    const description = readDescription<WebhookDescription>("webhooks.subset.json");
    schemas = new JsonSchemas({ payloads: description.payloads, schemas: description.schemas });
  }
  return schemas.check(["payloads", name], payload);
}
