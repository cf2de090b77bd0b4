import { html } from "ghtml";

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

/** For how long something has lasted. */
export function renderFor(since: number, now: number): string {
  return renderTime(since, renderDuration(now - since));
}

function renderTime(at: number, text: string): string {
  const exact = new Date(at).toISOString();
  return html`<time datetime="${exact}" title="${exact.slice(0, 19).replace("T", " ")} UTC">${text}</time>`;
}
