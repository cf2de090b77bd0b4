import { html } from "ghtml";
import type { GivenUpDeliveries } from "../service/observation/given-up-deliveries.ts";
import { age } from "./queue-page.ts";

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
  const rows = deliveries.map(
    ({ id, event, action, stream, receivedAt, givenUpAt, code }) => html`
<tr>
  <td>${stream
    .split("#")
    .slice(1)
    .map((pr) => `#${pr}`)}</td>
  <td>${event} ${action ?? ""} <span class="quiet"><code>${id}</code></span></td>
  <td>${meanings[code]} <code>${code}</code></td>
  <td class="time">received ${age(receivedAt, now)} ago, given up ${age(givenUpAt, now)} ago</td>
</tr>`,
  );
  return html`
<section>
  <h2>Given up <span class="count">${deliveries.length}</span></h2>
  <table><thead><tr><th>Pull request</th><th>Delivery from GitHub</th><th>Why</th><th></th></tr></thead><tbody>!${rows}</tbody></table>
</section>`;
}
