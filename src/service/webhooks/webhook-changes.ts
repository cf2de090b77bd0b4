import type { AuditEntry } from "../../store/access/audit-log.ts";
import type { WebhookEndpoint } from "../../store/webhooks/webhook-endpoints.ts";
import { changesBetween } from "../access/audit-changes.ts";

/** Describes a change of a webhook for the audit log. Null = the webhook does not exist before or after the change. */
export function describeWebhookChange(
  before: WebhookEndpoint | null,
  after: WebhookEndpoint | null,
): Pick<AuditEntry, "changes" | "subject"> {
  const webhook = after ?? before;
  return {
    changes: changesBetween(fieldsOf(before), fieldsOf(after), {
      url: disguiseAddress,
      secret: () => "(hidden)",
    }),
    subject: webhook && { kind: "webhook", id: webhook.id, name: disguiseAddress(webhook.url) },
  };
}

function fieldsOf(webhook: WebhookEndpoint | null) {
  if (webhook === null) return {};
  const { url, events, description, format, enabled, secret } = webhook;
  return { url, events, description, format, enabled, secret };
}

/** The address of a chat's webhook is a secret: anyone who knows it can post there. So only its end is shown. */
export function disguiseAddress(url: string): string {
  const shown = 4;
  const { origin } = new URL(url);
  const rest = url.slice(origin.length);
  return rest.length <= 2 * shown ? `${origin}/…` : `${origin}/…${rest.slice(-shown)}`;
}
