import { html } from "ghtml";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { AuditChange, AuditPlace, AuditRecord, AuditValue } from "../store/access/audit-log.ts";
import { auditPath, pullRequestPath, queuePath, testPath } from "./paths.ts";
import { renderAgo, renderExact } from "./times.ts";

/** The filters in the address of the page; null = everything. */
export interface AuditFilter {
  readonly action: string | null;
  readonly actor: string | null;
}

/** The commands about a repository, by their names in the API. */
export const actionNames: Readonly<Record<string, string>> = {
  updateQueue: "Change the queue",
  createQueue: "Create the queue",
  deleteQueue: "Delete the queue",
  submitPullRequest: "Submit, or change the priority",
  cancelPullRequest: "Cancel",
  restartTestsOnPullRequest: "Restart the tests",
  tryPullRequest: "Try",
  cancelTry: "End the try",
  setImpactedTargets: "Set the impacted targets",
  updateTestSettings: "Change the test settings",
  setQuarantine: "Set the quarantine",
  importQuarantines: "Import quarantines",
  linkTicketToTestCase: "Link a ticket",
  uploadTestResults: "Upload test results",
  createBundleUpload: "Upload a bundle of test results",
};

const channels: Readonly<Record<AuditRecord["via"], string>> = {
  api: "by the API",
  action: "by the Action",
  comment: "by a comment",
  label: "by a label",
  auto_merge: "by auto-merge",
  check: "by re-running the check",
  cli: "on the command line",
  dashboard: "on a page",
};

/** Actions one after the other that this page would show alike, such as the uploads of one token. The newest comes first. */
export type AlikeRecords = readonly [AuditRecord, ...AuditRecord[]];

/** Joins what this page would show alike. What changed something, or has a reason, stays alone. */
export function groupAlike(records: readonly AuditRecord[]): readonly AlikeRecords[] {
  const groups: [AuditRecord, ...AuditRecord[]][] = [];
  let lastKey: string | null = null;
  for (const record of records) {
    const { actor, via, action, outcome, code, pr, branch, subject, times, changes, reason } = record;
    const isPlain = changes === null && reason === null;
    const key = isPlain
      ? JSON.stringify([actor, via, action, outcome, code, pr, branch, subject, times])
      : null;
    if (key !== null && key === lastKey) groups.at(-1)?.push(record);
    else groups.push([record]);
    lastKey = key;
  }
  return groups;
}

/** @param next where the following page begins; null on the last one */
export function renderAuditLog(
  repo: RepositoryRef,
  filter: AuditFilter,
  { groups, next }: { readonly groups: readonly AlikeRecords[]; readonly next: AuditPlace | null },
  now: number,
): string {
  const isFiltered = filter.action !== null || filter.actor !== null;
  const empty = isFiltered
    ? "No entry matches. Change the filter, or show everything."
    : "Nothing is recorded. Commands and changes of settings will appear here.";
  const rows = groups.map((alike) => row(repo, filter, alike, now));
  const older = next && auditPath(repo, { ...filter, cursor: `${next.at}-${next.id}` });
  return html`
<main>
<section class="head">
  <h1><span class="quiet">${repo.owner}/</span>${repo.name} <span class="branch">audit log</span></h1>
  <p class="quiet">Who did what, and what it changed. Newest first.</p>
  <p class="facts"><a href="${auditPath(repo, { action: "updateQueue" })}">Changes of the queue</a> <a href="${auditPath(repo)}">Show everything</a></p>
</section>
<section>
  !${form(repo, filter)}
  !${
    rows.length === 0
      ? html`<p class="empty">${empty}</p>`
      : html`<table class="audit"><thead><tr><th>When</th><th>Who</th><th>What</th><th>Result</th><th>Changes</th></tr></thead><tbody>!${rows}</tbody></table>`
  }
  !${older ? html`<p><a href="${older}" rel="next">Older entries</a></p>` : ""}
</section>
</main>`;
}

function form(repo: RepositoryRef, { action, actor }: AuditFilter): string {
  const known = action === null || Object.hasOwn(actionNames, action) ? {} : { [action]: action };
  const options = Object.entries({ ...actionNames, ...known }).map(
    ([value, name]) => html`<option value="${value}"!${value === action ? " selected" : ""}>${name}</option>`,
  );
  return html`
<form class="search" method="get" action="${auditPath(repo)}">
  <label>What <select name="action"><option value="">Everything</option>!${options}</select></label>
  <label>Who <input name="actor" value="${actor ?? ""}" placeholder="a login, or a token's id"></label>
  <button>Filter</button>
</form>`;
}

function row(repo: RepositoryRef, filter: AuditFilter, alike: AlikeRecords, now: number): string {
  const [record] = alike;
  const since = alike.at(-1)?.at ?? record.at;
  const { at, actor, via, outcome, code, changes, reason, times = 1 } = record;
  const id = actor.id === actor.name ? "" : html` <code>${actor.id}</code>`;
  return html`
<tr>
  <td class="time">!${renderAgo(at, now)} <small>${renderExact(at)}</small></td>
  <td><a href="${auditPath(repo, { ...filter, actor: actor.id })}"><bdi>${actor.name}</bdi></a>!${id} <span class="quiet">${channels[via]}</span></td>
  <td>${actionNames[record.action] ?? record.action} !${subjectOf(repo, record)}</td>
  <td><span class="state ${outcome}">${outcome}</span>!${code === null ? "" : html` <code>${code}</code>`}!${times === 1 ? "" : html` <small>${times} times within a minute</small>`}!${alike.length === 1 ? "" : html` <small>${alike.length} times, first !${renderAgo(since, now)}</small>`}</td>
  <td>!${changes === null ? "" : list(changes)}!${reason === null ? "" : html`<p class="reason">Reason: <bdi>${reason}</bdi></p>`}</td>
</tr>`;
}

function subjectOf(repo: RepositoryRef, { pr, branch, subject }: AuditRecord): string {
  const queue =
    branch === null ? "" : html`<a href="${queuePath({ repo, branch })}"><bdi>${branch}</bdi></a>`;
  if (subject?.kind === "test")
    return html`<a href="${testPath(repo, subject.id)}"><bdi>${subject.name}</bdi></a>`;
  if (pr === null) return queue;
  // A test report names a pull request, but no queue.
  if (branch === null) return html`#${pr}`;
  return html`<a href="${pullRequestPath({ repo, branch }, pr)}">#${pr}</a> <span class="quiet">in</span> !${queue}`;
}

/** More changes than these are folded: a new queue has a value for each setting. */
const mostShown = 6;

function list(changes: readonly AuditChange[]): string {
  if (changes.length === 0) return html`<span class="quiet">changed nothing</span>`;
  const items = changes.map(
    ({ field, from, to }) =>
      html`<li><code>${field}</code> <bdi>${renderValue(from)}</bdi> → <bdi>${renderValue(to)}</bdi></li>`,
  );
  const all = html`<ul class="changes">!${items}</ul>`;
  return changes.length <= mostShown
    ? all
    : html`<details><summary>${changes.length} fields</summary>!${all}</details>`;
}

function renderValue(value: AuditValue): string {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : value.join(", ");
  const text = String(value);
  // Shortens the SHA of a commit as GitHub does.
  return text === "" ? "empty" : /^[\da-f]{40}$/.test(text) ? text.slice(0, 7) : text;
}
