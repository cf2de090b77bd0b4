import { html } from "ghtml";
import { disguiseAddress } from "../../service/webhooks/webhook-changes.ts";
import type { WebhookChanges } from "../../service/webhooks/webhooks.ts";
import type { WebhookEndpoint } from "../../store/webhooks/webhook-endpoints.ts";
import { webhooksPath } from "../paths.ts";
import { renderDuration } from "../times.ts";

interface Change {
  readonly changes: WebhookChanges;
  /** The change as an order, and what it does. */
  readonly order: string;
  readonly effect: string;
}

/** The changes that a page can make, by the names of their buttons. */
export const webhookChanges = {
  rotate: {
    changes: { rotateSecret: true },
    order: "rotate the secret",
    effect:
      "The next page shows a new secret, once. For a day, messages are signed with the current one, too: give the new one to the receiver in that time.",
  },
  disable: {
    changes: { enabled: false },
    order: "disable this webhook",
    effect:
      "It receives nothing until it is enabled again. Events of that time are not stored, so they are never sent to it. Messages that already wait keep waiting.",
  },
  enable: {
    changes: { enabled: true },
    order: "enable this webhook",
    effect: "It receives events again, and the messages that wait for it are sent now.",
  },
} as const satisfies Readonly<Record<string, Change>>;

type WebhookChangeName = keyof typeof webhookChanges;

export function isWebhookChange(name: unknown): name is WebhookChangeName {
  return typeof name === "string" && Object.hasOwn(webhookChanges, name);
}

/**
 * Identifies the secret that signs now. A form that is sent twice then names an earlier secret and is refused, because a second rotation
 * would end the secret that the receiver still uses.
 */
export function secretVersion({ previous }: WebhookEndpoint): string {
  return String(previous?.until ?? 0);
}

/** Renders the page that says what a change does, and asks whether it is wanted. */
export function renderWebhookConfirmation(
  name: WebhookChangeName,
  webhook: WebhookEndpoint,
  formToken: string,
  now: number,
): string {
  const { order, effect } = webhookChanges[name];
  const { previous } = webhook;
  const path = webhooksPath(webhook.organisation, webhook.id);
  const warning =
    name === "rotate" && previous !== null && previous.until > now
      ? html`<p class="problem">The secret was already rotated within the last day. The one before it would sign for ${renderDuration(previous.until - now)} more, and stops at once.</p>`
      : "";
  return html`<main><section>
<h1>${order[0]?.toUpperCase()}${order.slice(1)}?</h1>
<p>${disguiseAddress(webhook.url)}</p>
!${warning}
<form class="choice" method="post" action="${path}/actions">
<input type="hidden" name="formToken" value="${formToken}"><input type="hidden" name="action" value="${name}"><input type="hidden" name="version" value="${secretVersion(webhook)}">
<p class="price">${effect}</p>
<button name="confirmed" value="yes">Yes, ${order}</button> <a class="back" href="${path}">Back, change nothing</a>
</form>
</section></main>`;
}

export function renderNewSecret({ organisation, id, url }: WebhookEndpoint, secret: string): string {
  return html`<main><section>
<h1>The new secret</h1>
<p>of ${disguiseAddress(url)}. Copy it now: it is not shown again.</p>
<pre>${secret}</pre>
<p>For a day, messages are signed with the old secret, too. Give the new one to the receiver in that time.</p>
<p><a href="${webhooksPath(organisation, id)}">Back to the webhook</a></p>
</section></main>`;
}
