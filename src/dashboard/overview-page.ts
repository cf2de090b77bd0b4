import { createHash } from "node:crypto";
import { html } from "ghtml";
import { renderEnd } from "../engine/model/order/delay.ts";
import { renderReason } from "../engine/reasons/render-reason.ts";
import type { QueueSummary } from "../service/queues/queue-overview.ts";
import { renderUnknownRoles } from "./home-page.ts";
import { nextStepsPath } from "./next-steps-page.ts";
import {
  appPath,
  overviewLivePath,
  pullRequestPath,
  queuePath,
  testsPath,
  tokensPath,
  webhooksPath,
} from "./paths.ts";
import { renderSparkline } from "./sparkline.ts";
import { renderTable } from "./table.ts";
import { renderAgo, renderDuration, renderFor } from "./times.ts";

const columns = [
  { label: "Queue", kind: "main" },
  "State",
  { label: "In the queue", kind: "number" },
  { label: "Testing", kind: "number" },
  { label: "Merged today", kind: "number" },
  { label: "Wait p50 · p95", kind: "number" },
  { label: "Last 7 days", kind: "number" },
] as const;

/** What the overview shows besides the queues. */
export interface OverviewContext {
  /** Whether these are all queues that the visitor may see. */
  readonly isComplete: boolean;
  /** The organisations that the visitor may administer. */
  readonly organisations: readonly string[];
  /** Whether the visitor administers something. */
  readonly isAdministrator: boolean;
  /** What is wrong with the whole service. */
  readonly faults: readonly ServiceFault[];
  /** In milliseconds since the epoch. */
  readonly now: number;
}

export interface ServiceFault {
  readonly name: string;
  readonly text: string;
}

/** Renders the frame of the page. Its contents are replaced whenever a queue changes. */
export function renderOverviewPage(content: string): string {
  return html`<main hx-sse:connect="${overviewLivePath}" hx-swap="innerMorph">!${content}</main>`;
}

/** Renders every queue in figures, below what needs a person. */
export function renderOverview(queues: readonly QueueSummary[], context: OverviewContext): string {
  const { isComplete, now } = context;
  const missing = isComplete ? "" : renderUnknownRoles();
  const links = renderLinks(context);
  if (queues.length === 0)
    return html`<h1>Queues</h1>!${links}!${missing}<p class="empty">There is no queue yet, or none that you may see. <a href="${nextStepsPath}">Next steps</a> shows how to create one.</p>`;
  const rows = queues.map((queue) => ({
    id: idOf(queue, "queue"),
    cells: [
      nameOf(queue) + html` <a class="quiet" href="${testsPath(queue.repo)}">tests</a>`,
      stateOf(queue, now),
      html`${queue.waiting}!${queue.notReady === 0 ? "" : html`<small>${queue.notReady} not ready</small>`}`,
      String(queue.testing),
      String(queue.mergesByDay.at(-1) ?? 0),
      waitsOf(queue),
      sparkline(queue.mergesByDay, now),
    ],
  }));
  return html`
<h1>Queues <span class="count">${queues.length}</span></h1>
!${links}
!${missing}
!${attention(queues, context)}
!${renderTable(columns, rows)}
<p class="quiet">The last 7 days: merges, and how long they took from the submission. Days begin at midnight UTC.</p>`;
}

function renderLinks({ organisations, isAdministrator }: OverviewContext): string {
  const links = organisations.map(
    (name) =>
      html`<a href="${webhooksPath(name)}">Webhooks of ${name}</a> <a href="${tokensPath(name)}">API tokens of ${name}</a> `,
  );
  const app = isAdministrator ? html`<a href="${appPath}">GitHub App</a>` : "";
  return links.length === 0 && app === "" ? "" : html`<p class="facts">!${links}!${app}</p>`;
}

/** Rows keep their ids, so that a changed row is sent alone. */
function idOf(queue: QueueSummary, kind: string): string {
  const name = createHash("sha256").update(queuePath(queue).toLowerCase()).digest("hex").slice(0, 12);
  return `${kind}-${name}`;
}

function nameOf(queue: QueueSummary): string {
  const { repo, branch } = queue;
  return html`<a href="${queuePath(queue)}">${repo.owner}/${repo.name}</a> <span class="branch">${branch}</span>`;
}

/** Of a stopped queue, the reason is among what needs a person. */
function stateOf(queue: QueueSummary, now: number): string {
  const { status, statusReason, statusSince } = queue;
  const state = html`<span class="state ${status}">${status.replace("_", " ")}</span>`;
  if (status === "running") return state;
  const reason = isStopped(queue) ? "" : `${renderReason(statusReason)}, `;
  return html`!${state}<small>${reason}for !${renderFor(statusSince, now)}</small>`;
}

function waitsOf({ waits }: QueueSummary): string {
  if (waits === null) return html`<span class="quiet">no merge yet</span>`;
  const [p50, p95] = [waits.p50, waits.p95].map((ms) => (ms === 0 ? "< 10 s" : renderDuration(ms)));
  return html`${p50 ?? ""} · ${p95 ?? ""}`;
}

/** The problems that need a person, the worst first. */
function attention(queues: readonly QueueSummary[], { faults, now }: OverviewContext): string {
  const list = (some: readonly QueueSummary[], alertOf: (queue: QueueSummary, now: number) => Alert | null) =>
    some.flatMap((queue) => {
      const alert = alertOf(queue, now);
      if (alert === null) return [];
      const id = idOf(queue, alertOf.name);
      return [
        html`<li id="${id}">!${alert.badge} !${nameOf(queue)} <span class="long">!${alert.text}</span></li>`,
      ];
    });
  const ofService = faults.map(
    ({ name, text }) => html`<li>!${badge("failed", name)} <span class="long">${text}</span></li>`,
  );
  const ofQueues = [alarmed, stalled, faulty, failing, stopped, frozen].flatMap((alertOf) =>
    list(queues, alertOf),
  );
  // Deliveries belong to a repository, which may have several queues.
  const byRepository = Map.groupBy(queues, ({ repo }) => testsPath(repo));
  const firsts = [...byRepository.values()].flatMap(([first]) => first ?? []);
  const alerts = [...ofService, ...ofQueues, ...list(firsts, givenUp)];
  if (alerts.length === 0) return html`<p class="calm">Nothing needs a person.</p>`;
  return html`<section class="attention"><h2>Needs a person <span class="count">${alerts.length}</span></h2><ul>!${alerts}</ul></section>`;
}

interface Alert {
  /** Escaped HTML, as is the text. */
  readonly badge: string;
  readonly text: string;
}

function stalled(queue: QueueSummary, now: number): Alert | null {
  const { stall } = queue;
  if (!stall) return null;
  const link = html`<a href="${pullRequestPath(queue, stall.pr)}">#${stall.pr}</a>`;
  return {
    badge: badge("failed", "stalled"),
    text: html`nothing has merged for !${renderFor(stall.since, now)}. !${link}: ${stall.cause.text}`,
  };
}

function failing({ isBaseFailing, branch }: QueueSummary): Alert | null {
  if (!isBaseFailing) return null;
  return { badge: badge("failed", "base fails"), text: html`${branch} fails by itself` };
}

/** The alert of a queue that stopped by itself. */
function alarmed(queue: QueueSummary, now: number): Alert | null {
  const { status, statusReason, statusSince } = queue;
  if (!isStopped(queue) || statusReason.code === "CONFIGURED") return null;
  const text = html`${status} itself !${renderFor(statusSince, now)} ago: ${renderReason(statusReason)}`;
  return { badge: badge("failed", "alarm"), text };
}

/** The alert of a queue with problems at the last examination. */
function faulty(queue: QueueSummary, now: number): Alert | null {
  const errors = queue.diagnosis?.findings.filter(({ severity }) => severity === "error") ?? [];
  if (queue.diagnosis === null || errors.length === 0) return null;
  const titles = errors.map(({ title }) => title).join("; ");
  const text = html`${titles}. <a href="${queuePath(queue)}/doctor">Doctor</a> looked !${renderAgo(queue.diagnosis.at, now)}`;
  return { badge: badge("failed", errors.length === 1 ? "1 error" : `${errors.length} errors`), text };
}

function isStopped({ status }: QueueSummary): boolean {
  return status !== "running" && status !== "switching_modes";
}

function stopped(queue: QueueSummary, now: number): Alert | null {
  const { status, statusReason, statusSince } = queue;
  if (!isStopped(queue) || statusReason.code !== "CONFIGURED") return null;
  const text = html`for !${renderFor(statusSince, now)}: ${renderReason(statusReason)}`;
  return { badge: badge(status, status), text };
}

function frozen({ freeze }: QueueSummary): Alert | null {
  if (!freeze) return null;
  return { badge: badge("paused", "frozen"), text: html`until ${renderEnd(freeze)}: ${freeze.reason}` };
}

function givenUp({ givenUp: count, ...queue }: QueueSummary): Alert | null {
  if (count === 0) return null;
  const deliveries = count === 1 ? "1 delivery" : `${count} deliveries`;
  const link = html`<a href="${queuePath(queue)}#given-up">${deliveries} from GitHub</a>`;
  return { badge: badge("failed", "given up"), text: html`!${link} could not be handled` };
}

function badge(kind: string, text: string): string {
  return html`<span class="state ${kind}">${text}</span>`;
}

/** Renders the merges of each day as bars, with the figures as text. */
function sparkline(mergesByDay: readonly number[], now: number): string {
  const last = mergesByDay.length - 1;
  const words = mergesByDay.map((merges, index) => `${dayName(now, last - index)} ${merges}`).join(", ");
  const total = mergesByDay.reduce((sum, merges) => sum + merges, 0);
  return html`<span class="trend">${total} !${renderSparkline(mergesByDay, `Merges a day: ${words}`)}</span>`;
}

/** Made once, because making one takes longer than a hundred uses. */
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });

function dayName(now: number, daysAgo: number): string {
  return daysAgo === 0 ? "today" : weekday.format(now - daysAgo * 86_400_000);
}
