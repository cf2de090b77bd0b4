import { html } from "ghtml";
import type { Entry } from "../engine/model/entry.ts";
import { renderReason } from "../engine/reasons/render-reason.ts";
import type { EndedPlace, EndedQuery, FoundPullRequest } from "../service/queues/queue-overview.ts";
import type { QueueAddress } from "../service/runtime/directory.ts";
import { renderUnknownRoles } from "./home-page.ts";
import { historyPath, pullRequestPath, queuePath } from "./paths.ts";
import { renderTable } from "./table.ts";
import { renderAgo, renderDuration, renderFor, renderForgotten } from "./times.ts";

/** The fields of the form of a history, as they were entered. */
export interface HistoryForm {
  readonly q: string;
  readonly author: string;
  readonly outcome: string;
  readonly from: string;
  readonly to: string;
}

export const outcomes = ["merged", "failed", "cancelled"] as const satisfies EndedQuery["outcome"][];

interface HistoryVisit {
  readonly now: number;
  readonly isFirst: boolean;
  /** Whether the visitor may open the pages of the pull requests. */
  readonly isMember: boolean;
  /** The texts in the form that are not valid days. */
  readonly noDays: readonly string[];
  /** Since when pull requests are kept, if the form asks only for earlier ones; null = it does not. */
  readonly forgotten: number | null;
}

/**
 * Renders what ended in a queue.
 * @param next where the next page starts; null = this is the last one
 */
export function renderHistory(
  queue: QueueAddress,
  form: HistoryForm,
  { entries, next }: { readonly entries: readonly Entry[]; readonly next: EndedPlace | null },
  { now, isFirst, isMember, noDays, forgotten }: HistoryVisit,
): string {
  const { repo, branch } = queue;
  const isFiltered = Object.values(form).some((value) => value !== "");
  const rows = entries.map((entry) => ({
    cells: [
      renderPullRequest(entry, isMember ? queue : null),
      renderState(entry),
      renderWhy(entry),
      renderDuration(entry.stateChangedAt - entry.submittedAt),
      renderAgo(entry.stateChangedAt, now),
    ],
  }));
  const nothing = isFiltered || !isFirst ? "Nothing matches." : "Nothing has ended yet.";
  const older = next && historyPage(queue, form, next);
  return html`<main>
<h1>History <span class="quiet">of ${repo.owner}/${repo.name}</span> <span class="branch">${branch}</span></h1>
!${filters(queue, form, isFiltered)}
!${noDays.map((text) => html`<p class="problem">“<bdi>${text}</bdi>” is not a day, so it does not filter. Write it such as 2026-11-28.</p>`)}
!${rows.length > 0 ? renderTable(endedColumns, rows) : forgotten === null ? html`<p class="empty">${nothing}</p>` : renderForgotten(forgotten)}
<p class="pages">!${isFirst ? "" : html`<a href="${historyPage(queue, form, null)}">Newest</a> `}!${older === null ? "" : html`<a href="${older}" rel="next">Older</a>`}</p>
</main>`;
}

export const pullRequestColumn = { label: "Pull request", kind: "main" } as const;
export const whyColumn = { label: "Why", kind: "line" } as const;
const endedColumns = [
  pullRequestColumn,
  "Outcome",
  whyColumn,
  { label: "In the queue", kind: "time" },
  { label: "Ended", kind: "time" },
] as const;

function filters(
  queue: QueueAddress,
  { q, author, outcome, from, to }: HistoryForm,
  isFiltered: boolean,
): string {
  const options = ["", ...outcomes].map(
    (one) => html`<option value="${one}"!${one === outcome ? " selected" : ""}>${one || "any"}</option>`,
  );
  return html`<form class="search" method="get" action="${historyPath(queue)}">
  <label>Text <input type="search" name="q" value="${q}" maxlength="200" placeholder="title or branch"></label>
  <label>Author <input name="author" value="${author}" maxlength="100"></label>
  <label>Outcome <select name="outcome">!${options}</select></label>
  <label>From <input type="date" name="from" value="${from}"></label>
  <label>To <input type="date" name="to" value="${to}"></label>
  <button>Filter</button>
  !${isFiltered ? html`<a class="clear" href="${historyPath(queue)}">Clear</a>` : ""}
</form>`;
}

/** The address of a page of the history. Without a place, it is the first one. */
function historyPage(queue: QueueAddress, form: HistoryForm, after: EndedPlace | null): string {
  const query = new URLSearchParams(Object.entries(form).filter(([, value]) => value !== ""));
  if (after) query.set("after", `${after.endedAt}-${after.pr}`);
  return query.size === 0 ? historyPath(queue) : `${historyPath(queue)}?${query}`;
}

interface FoundList {
  readonly found: readonly FoundPullRequest[];
  /** Whether there are more. */
  readonly isCut: boolean;
  /** Whether all queues that the visitor may see were searched. */
  readonly isComplete: boolean;
}

/**
 * Renders the pull requests that a search found.
 * @param commits what is known about the commit or tree that was searched for, as HTML; empty = it was no SHA
 */
export function renderSearchResults(
  text: string,
  { found, isCut, isComplete }: FoundList,
  now: number,
  commits = "",
): string {
  const rows = found.map(({ queue, entry }) => {
    const { owner, name } = queue.repo;
    const isEnded = (outcomes as readonly string[]).includes(entry.state);
    return {
      cells: [
        renderPullRequest(entry, queue),
        html`<a href="${queuePath(queue)}">${owner}/${name}</a> <span class="branch">${queue.branch}</span>`,
        renderState(entry),
        renderWhy(entry),
        isEnded ? renderAgo(entry.stateChangedAt, now) : html`for !${renderFor(entry.stateChangedAt, now)}`,
      ],
    };
  });
  const hint =
    text === ""
      ? "Search by number (#12), title, author or branch; several words must all match. Or by the SHA of a commit or tree: which run tested it?"
      : `Nothing matches “${text}”. Search by number (#12), title, author or branch.`;
  return html`<main>
<h1>Search</h1>
!${isComplete ? "" : renderUnknownRoles()}
!${commits}
!${rows.length === 0 ? (commits === "" ? html`<p class="empty">${hint}</p>` : "") : renderTable([pullRequestColumn, "Queue", "State", whyColumn, { label: "When", kind: "time" }], rows)}
!${isCut ? html`<p class="quiet">Only the first ${found.length} are shown. Add a word to narrow the search.</p>` : ""}
</main>`;
}

/** @param queue the queue whose page of the pull request the visitor may open; null = none */
export function renderPullRequest(
  { pr, title, author, url, headSha }: Entry,
  queue: QueueAddress | null,
): string {
  const number = queue === null ? html`#${pr}` : html`<a href="${pullRequestPath(queue, pr)}">#${pr}</a>`;
  return html`<span class="title">!${number} <bdi>${title}</bdi></span> <small><bdi>${author}</bdi> · <code>${headSha.slice(0, 7)}</code> · <a href="${url}" rel="noreferrer" aria-label="#${pr} on GitHub">GitHub</a></small>`;
}

export function renderState({ state }: Entry): string {
  return html`<span class="state ${state}">${state.replaceAll("_", " ")}</span>`;
}

export function renderWhy({ reason }: Entry): string {
  const text = renderReason(reason);
  return html`<span class="long" title="${text}">${text}</span>`;
}
