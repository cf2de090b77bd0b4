import type { FastifyInstance } from "fastify";
import { keepVisible } from "../../service/observation/repository-roles.ts";
import type { EndedPlace, FoundPullRequest } from "../../service/queues/queue-overview.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { type HistoryForm, outcomes, renderHistory, renderSearchResults } from "../history-page.ts";
import { renderTestedCommits } from "../tested-commits.ts";
import { parseTime } from "../times.ts";
import { hide, queueRoute, showAbout } from "./member-pages.ts";
import { addressOf, askToSignIn, overviewCrumb, show } from "./replies.ts";

const shown = 50;
const testedShown = 10;
const longestText = 200;
const mostWords = 8;
const dayMs = 86_400_000;

/** The search in all queues, and what has left each queue. */
export function serveHistoryPages(app: FastifyInstance, parts: DashboardServices): void {
  const { queues, overview, sessions, now, historyMs } = parts;

  app.get("/search", async (request, reply) => {
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    const text = textIn(request.query, "q");
    const { visible, isComplete } = await keepVisible(await overview.list(), viewer.mayShow);
    const sha = /^[\da-f]{7,64}$/i.test(text) ? text.toLowerCase() : null;
    const [found, tested] = await Promise.all([
      text === "" ? [] : findIn(parts, visible, text),
      sha === null ? [] : parts.testedCommits.find(visible, sha, testedShown),
    ]);
    const list = { found: found.slice(0, shown), isCut: found.length > shown, isComplete };
    const commits = sha === null ? "" : renderTestedCommits(sha, tested, now());
    const results = renderSearchResults(text, list, now(), commits);
    return show(reply, "Search", results, viewer, { isLive: false, search: text, crumbs: [overviewCrumb] });
  });

  app.get(`${queueRoute}/history`, async (request, reply) => {
    const queue = addressOf(request);
    const viewer = await sessions.viewer(request);
    const isMember = (await viewer?.mayShow(queue.repo)) ?? false;
    const isVisible = isMember ? (await queues.readQueue(queue)).ok : await queues.isPagePublic(queue);
    if (!isVisible) return hide(request, reply, viewer);
    const form = formIn(request.query);
    const after = placeIn(request.query);
    const { q, author, outcome, from, to } = form;
    const lastDay = dayIn(to);
    const until = lastDay === null ? null : lastDay + dayMs;
    const page = await overview.listEnded(queue, {
      outcome: outcomes.find((one) => one === outcome) ?? null,
      author: author === "" ? null : author,
      texts: wordsOf(q),
      since: dayIn(from),
      until,
      after,
      limit: shown,
    });
    const keptSince = now() - historyMs;
    const forgotten = until !== null && until <= keptSince ? keptSince : null;
    const noDays = [from, to].filter((text) => text !== "" && dayIn(text) === null);
    const visit = { now: now(), isFirst: after === null, isMember, noDays, forgotten };
    return showAbout({ reply, viewer, queue }, "History", renderHistory(queue, form, page, visit));
  });
}

/** For a number, finds the pull requests with this number first; with `#`, finds only these. */
async function findIn(
  { overview }: DashboardServices,
  queues: readonly QueueAddress[],
  text: string,
): Promise<readonly FoundPullRequest[]> {
  const [, mark, digits] = /^(#?)(\d{1,15})$/.exec(text) ?? [];
  const limit = shown + 1;
  const numbered = digits === undefined ? [] : await overview.search(queues, { pr: Number(digits) }, limit);
  if (mark === "#") return numbered;
  const named = await overview.search(queues, { texts: wordsOf(text) }, limit);
  const isNew = ({ entry }: FoundPullRequest) => entry.pr !== Number(digits);
  return [...numbered, ...named.filter(isNew)].slice(0, limit);
}

function wordsOf(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, mostWords);
}

function formIn(query: unknown): HistoryForm {
  const text = (name: keyof HistoryForm) => textIn(query, name);
  return {
    ...{ q: text("q"), author: text("author").replace(/^@/, ""), outcome: text("outcome") },
    ...{ from: text("from"), to: text("to") },
  };
}

function textIn(query: unknown, name: string): string {
  const value = (query as Record<string, unknown>)[name];
  return typeof value === "string" ? value.trim().slice(0, longestText) : "";
}

/** The beginning of a day (UTC); null for an invalid day. */
function dayIn(text: string): number | null {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseTime(text) : null;
}

export function placeIn(query: unknown): EndedPlace | null {
  const [, endedAt, pr] = /^(\d{1,15})-(\d{1,15})$/.exec(textIn(query, "after")) ?? [];
  return endedAt === undefined ? null : { endedAt: Number(endedAt), pr: Number(pr) };
}
