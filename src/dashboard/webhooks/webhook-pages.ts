import { html } from "ghtml";
import { disguiseAddress } from "../../service/webhooks/webhook-changes.ts";
import type { WebhookDelivery } from "../../store/webhooks/webhook-deliveries.ts";
import type { WebhookEndpoint } from "../../store/webhooks/webhook-endpoints.ts";
import { webhooksPath } from "../paths.ts";
import { renderTable } from "../table.ts";
import { renderAgo, renderDuration } from "../times.ts";

/** A webhook and its newest delivery; null = there was none yet. */
export interface ListedWebhook {
  readonly webhook: WebhookEndpoint;
  readonly last: WebhookDelivery | null;
}

const listColumns = [
  { label: "Webhook", kind: "main" },
  "Events",
  "Format",
  "State",
  "Last delivery",
  { label: "Secret", kind: "number" },
] as const;

export function renderWebhooks(
  organisation: string,
  webhooks: readonly ListedWebhook[],
  formToken: string,
  now: number,
): string {
  const rows = webhooks.map(({ webhook, last }) => ({
    cells: [
      html`<a href="${pathOf(webhook)}">${disguiseAddress(webhook.url)}</a>!${descriptionOf(webhook)}`,
      html`<span class="long">${eventsOf(webhook)}</span>`,
      html`${webhook.format}`,
      stateOf(webhook),
      last === null
        ? html`<span class="quiet">none yet</span>`
        : html`!${resultOf(last)} !${renderAgo(last.createdAt, now)}`,
      html`<form method="post" action="${pathOf(webhook)}/actions"><input type="hidden" name="formToken" value="${formToken}"><button class="button secondary" name="action" value="rotate" aria-label="Rotate the secret of ${disguiseAddress(webhook.url)}">Rotate</button></form>`,
    ],
  }));
  const table =
    rows.length === 0
      ? html`<p class="empty">There is no webhook yet. <a href="/docs#createWebhook"><code>createWebhook</code></a> of the API creates one, and so does <code>trainyard webhook create</code> on the machine of the service.</p>`
      : renderTable(listColumns, rows);
  return html`<main>
<h1>Webhooks <span class="quiet">of ${organisation}</span> <span class="count">${rows.length}</span></h1>
<p class="quiet">Where events of this organisation are sent. Addresses are shortened, because anyone who knows the address of a chat can post there.</p>
!${table}
</main>`;
}

function eventsOf({ events }: WebhookEndpoint): string {
  return events.includes("*") ? "all events" : events.join(", ");
}

export interface WebhookView {
  readonly webhook: WebhookEndpoint;
  /** Newest first. */
  readonly deliveries: readonly WebhookDelivery[];
  /** The place of the following page; null = this is the last one. */
  readonly next: number | null;
  readonly formToken: string;
}

const deliveryColumns = [
  { label: "Message", kind: "main" },
  "Result",
  { label: "Attempts", kind: "number" },
  { label: "Created", kind: "time" },
  { label: "Ended", kind: "time" },
  { label: "Action", kind: "number" },
] as const;

/** Renders a webhook with its deliveries and what can be done with them. */
export function renderWebhook({ webhook, deliveries, next, formToken }: WebhookView, now: number): string {
  const path = pathOf(webhook);
  const { id, format, previous, createdAt } = webhook;
  const isRotating = previous !== null && previous.until > now;
  const rows = deliveries.map((delivery) => ({ cells: cellsOf(delivery, now) }));
  const token = html`<input type="hidden" name="formToken" value="${formToken}">`;
  const button = (action: string, text: string) =>
    html`<button class="secondary" name="action" value="${action}">${text}</button>`;
  return html`<main>
<section class="head">
  <h1>Webhook <span class="quiet">${disguiseAddress(webhook.url)}</span></h1>!${descriptionOf(webhook)}
  <p class="facts">!${stateOf(webhook)}<span>format ${format}</span><span>created !${renderAgo(createdAt, now)}</span><code>${id}</code>!${
    isRotating
      ? html`<span>the previous secret also signs for ${renderDuration(previous.until - now)}</span>`
      : ""
  }</p>
  <p class="facts"><span>receives ${eventsOf(webhook)}</span></p>
  <form class="choice controls" method="post" action="${path}/actions" aria-label="The webhook">!${token}!${
    webhook.enabled ? button("disable", "Disable") : button("enable", "Enable")
  }!${button("rotate", "Rotate the secret")}</form>
</section>
<section><h2>Deliveries</h2>
!${
    rows.length === 0
      ? html`<p class="empty">Nothing was sent to it yet, or its deliveries are old and were deleted.</p>`
      : html`<form id="resend" method="post" action="${path}/actions">!${token}<input type="hidden" name="action" value="resend"></form>!${renderTable(deliveryColumns, rows)}`
  }
!${next === null ? "" : html`<p><a href="${path}?before=${next}" rel="next">Older deliveries</a></p>`}
</section>
</main>`;
}

function cellsOf(delivery: WebhookDelivery, now: number): readonly string[] {
  const { messageId, type, attempts, createdAt, endedAt } = delivery;
  return [
    html`${type} <span class="quiet">${subjectOf(delivery)}</span><small><code>${messageId}</code></small>`,
    html`!${resultOf(delivery)}!${reasonOf(delivery, now)}`,
    String(attempts),
    renderAgo(createdAt, now),
    endedAt === null ? "" : renderAgo(endedAt, now),
    html`<button class="button secondary" form="resend" name="delivery" value="${messageId}" aria-label="Send again ${type} ${subjectOf(delivery)}">Send again</button>`,
  ];
}

function resultOf({ state }: WebhookDelivery): string {
  return html`<span class="state ${state}">${state}</span>`;
}

/** Why it was accepted or not, and when it is retried. */
function reasonOf({ state, lastError, lastStatus, notBefore }: WebhookDelivery, now: number): string {
  const reason = lastError ?? (lastStatus === null ? null : `it answered ${lastStatus}`);
  const retry =
    state === "waiting" && notBefore > now ? html`, next attempt in ${renderDuration(notBefore - now)}` : "";
  return reason === null ? "" : html`<small class="long">${reason}!${retry}</small>`;
}

/** The pull requests or the repository that a message is about. */
function subjectOf({ payload }: WebhookDelivery): string {
  const { repository, pr_number, pr_numbers } = JSON.parse(payload) as {
    readonly repository: { readonly owner: string; readonly name: string };
    readonly pr_number?: number;
    readonly pr_numbers?: readonly number[];
  };
  const numbers = [pr_number ?? pr_numbers ?? []].flat().map((number) => ` #${number}`);
  return `${repository.owner}/${repository.name}${numbers.join("")}`;
}

function descriptionOf({ description }: WebhookEndpoint): string {
  return description === "" ? "" : html`<small class="long">${description}</small>`;
}

function stateOf({ enabled }: WebhookEndpoint): string {
  return enabled
    ? html`<span class="state running">enabled</span>`
    : html`<span class="state paused">disabled</span>`;
}

function pathOf({ organisation, id }: WebhookEndpoint): string {
  return webhooksPath(organisation, id);
}
