import { html } from "ghtml";

/**
 * Reads a time in UTC in ISO 8601, in milliseconds since the epoch. Null: it is not a time. `Date.parse` alone reads 31 February as 3
 * March.
 */
export function parseTime(text: string): number | null {
  const at = Date.parse(text);
  const isReal = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10));
  return isReal ? at : null;
}

const day = new Intl.DateTimeFormat("en-GB", {
  ...{ timeZone: "UTC", day: "numeric", month: "short", year: "numeric" },
});

/** Says that nothing is stored any longer about a time. */
export function renderForgotten(keptSince: number): string {
  return html`<p class="empty">What happened before ${day.format(keptSince)} is no longer kept. The service keeps it for as many days as <code>TRAINYARD_HISTORY_DAYS</code> says.</p>`;
}

/** A duration in its largest unit. */
export function renderDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** How long ago something was; the exact time is shown on hover. Times in milliseconds since the epoch. */
export function renderAgo(at: number, now: number): string {
  return renderTime(at, `${renderDuration(now - at)} ago`);
}

export function renderFor(since: number, now: number): string {
  return renderTime(since, renderDuration(now - since));
}

/** The time itself, to the second. */
export function renderExact(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** A time that a text names; the exact one is shown on hover. */
export function renderTime(at: number, text: string): string {
  return html`<time datetime="${new Date(at).toISOString()}" title="${renderExact(at)}">${text}</time>`;
}
