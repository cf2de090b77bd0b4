import { html } from "ghtml";

const day = new Intl.DateTimeFormat("en-GB", {
  ...{ timeZone: "UTC", day: "numeric", month: "short", year: "numeric" },
});

/** A moment to the second, in UTC: `28 Nov 2026, 14:05:03 UTC`. The page's script adds the viewer's local time on hover. */
export function instant(at: number): string {
  const exact = new Date(at).toISOString();
  return html`<time datetime="${exact}" title="${exact}">${day.format(at)}, ${exact.slice(11, 19)} UTC</time>`;
}

/** A moment to the minute, where the year is clear: `28 Nov, 14:05`. */
export function minute(at: number): string {
  const exact = new Date(at).toISOString();
  return html`<time datetime="${exact}" title="${exact}">${day.format(at).slice(0, -5)}, ${exact.slice(11, 16)}</time>`;
}
