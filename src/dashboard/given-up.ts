import { html } from "ghtml";
import type { GivenUpDeliveries } from "../service/observation/given-up-deliveries.ts";
import { renderTable } from "./table.ts";
import { renderAgo } from "./times.ts";

type GivenUp = Awaited<ReturnType<GivenUpDeliveries["ofRepository"]>>;

const meanings: Readonly<Record<GivenUp[number]["code"], string>> = {
  CODE_HOST_ABSENT: "GitHub did not answer for a day",
  PAYLOAD_UNREADABLE: "this version cannot read its payload",
  CODE_HOST_DENIED: "GitHub repeatedly denied something that it needs; the log has the details",
  NOT_HANDLED: "it failed repeatedly; the log has the details",
};

/** Renders the repository's deliveries from GitHub that could not be handled; empty when there are none. */
export function renderGivenUp(deliveries: GivenUp, now: number): string {
  if (deliveries.length === 0) return "";
  const rows = deliveries.map(({ id, event, action, stream, receivedAt, givenUpAt, code }) => ({
    cells: [
      html`${stream
        .split("#")
        .slice(1)
        .map((pr) => `#${pr}`)}`,
      html`${event} ${action ?? ""} <span class="quiet"><code>${id}</code></span>`,
      html`${meanings[code]} <code>${code}</code>`,
      html`received !${renderAgo(receivedAt, now)}, given up !${renderAgo(givenUpAt, now)}`,
    ],
  }));
  const columns = ["Pull request", "Delivery from GitHub", "Why", { label: "When", kind: "time" }] as const;
  return html`
<section id="given-up">
  <h2>Given up <span class="count">${deliveries.length}</span></h2>
  !${renderTable(columns, rows)}
</section>`;
}
