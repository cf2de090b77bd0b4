import type { WebhookMessage } from "../../src/ports/webhooks/webhook-message.ts";
import type { WebhookEndpoint } from "../../src/store/webhooks/webhook-endpoints.ts";

export function buildEndpoint(id: string, given: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return {
    id,
    organisation: "octo-org",
    url: `https://${id}.example/hook`,
    description: "",
    format: "json",
    events: ["*"],
    enabled: true,
    secret: "sealed",
    previous: null,
    createdAt: 1_000,
    ...given,
  };
}

/** A message of pull request 7 at 1,000. */
export function buildMessage(id: string, given: Partial<WebhookMessage> = {}): WebhookMessage {
  return {
    id,
    type: "pull_request.queued",
    stream: "pr/7",
    at: 1_000,
    payload: `{"id":"${id}"}`,
    ...given,
  };
}
