import { html } from "ghtml";
import type { Entry } from "../engine/model/entry.ts";
import { renderProof } from "../engine/reasons/render-reason.ts";
import { provingRun, type TestedCommit } from "../service/queues/tested-commits.ts";
import { pullRequestPath, queuePath } from "./paths.ts";
import { renderAgo } from "./times.ts";

const wholeSha = /^([\da-f]{40}|[\da-f]{64})$/;

const subjects: Readonly<Record<TestedCommit["is"], string>> = {
  tested_commit: "the commit of a test run",
  tested_tree: "the tree of a test run",
  merged_commit: "the commit of a merge",
  head: "the head of a pull request",
};

/**
 * Renders whether a commit or a tree was tested, and by which run.
 * @param sha as it was entered, in lower case
 */
export function renderTestedCommits(sha: string, found: readonly TestedCommit[], now: number): string {
  if (wholeSha.test(sha))
    return html`<section><h2>Was <code class="sha">${sha}</code> tested?</h2>!${
      found.length === 0
        ? html`<p class="empty">No run in the queues that you may see tested a commit or tree with this SHA, as far as the history is kept.</p>`
        : found.map((commit) => renderTested(commit, now))
    }</section>`;
  if (found.length === 0) return "";
  const candidates = [...new Map(found.map((commit) => [commit.sha, commit])).values()].map(
    ({ sha: whole, is, queue }) =>
      html`<li><a href="/search?q=${whole}"><code class="sha">${whole}</code></a> <span class="quiet">${subjects[is]} in ${queue.repo.owner}/${queue.repo.name} ${queue.branch}</span></li>`,
  );
  return html`<section><h2>Commits and trees that begin with <code>${sha}</code></h2>
<p class="quiet">An abbreviation can belong to several: choose the whole SHA.</p><ul>!${candidates}</ul></section>`;
}

const results = {
  in_progress: ["testing", "It is being tested now."],
  succeeded: ["passed", "Yes. It passed."],
  failed: ["failed", "Yes. It failed."],
  cancelled: ["cancelled", "Its test was cancelled before it ended."],
} as const;

function renderTested(commit: TestedCommit, now: number): string {
  const { queue, record, entries, pr } = commit;
  const place = html`<a href="${queuePath(queue)}">${queue.repo.owner}/${queue.repo.name}</a> <span class="branch">${queue.branch}</span>`;
  if (record === null) {
    const entry = entries.find((one) => one.pr === pr);
    const facts = entry
      ? [
          ["Pull request", renderPullRequest(commit, entry.pr, entry.title)],
          ["Merged", mergeOf(entry)],
        ]
      : [];
    return section("", "", `It is ${subjects[commit.is]}, of which no test run is kept.`, [
      ["Queue", place],
      ...facts,
    ]);
  }
  const { run, status, endedAt, pullRequests } = record;
  const [state, plain] = results[status];
  const answer =
    run.vouchedBy === null ? plain : "It counts as passed, because a run that contains it passed.";
  const last = run.commits.at(-1);
  const [first] = run.members;
  const ahead = run.ahead.map((one) => html`<a href="${pullRequestPath(queue, one)}">#${one}</a> `);
  const merged = entries.filter((entry) => entry.state === "merged" && provingRun(entry) === run.id);
  return section(state, state, verdictOf(commit, answer), [
    ["Queue", place],
    [
      "Test run",
      html`<a href="${pullRequestPath(queue, first)}#run-${run.id}">started !${renderAgo(run.startedAt, now)}</a>!${endedAt === null ? "" : html`, ended !${renderAgo(endedAt, now)}`}`,
    ],
    ["Tested commit", shaOf(last?.commitSha)],
    ["Tested tree", shaOf(last?.treeSha)],
    [
      "Contained",
      html`base <code>${run.base.slice(0, 7)}</code>!${ahead.length === 0 ? "" : html`, on it !${ahead}`}<ul>!${pullRequests.map((one) => html`<li>!${renderPullRequest(commit, one.pr, one.title)}</li>`)}</ul>`,
    ],
    [
      "Merged",
      merged.length === 0
        ? "nothing of it"
        : html`<ul>!${merged.map((entry) => html`<li>#${entry.pr} !${mergeOf(entry)}</li>`)}</ul>`,
    ],
  ]);
}

/** Says which kind of SHA it is, because only the commit and the tree of a run were tested. */
function verdictOf({ is, pr, sha, record }: TestedCommit, answer: string): string {
  if (is === "tested_commit" || is === "tested_tree") return answer;
  if (is === "head") {
    const isItself = record?.run.commits.at(-1)?.commitSha === sha;
    return isItself
      ? answer
      : `It is the head of #${pr}. A head is not tested by itself, but merged onto the base: this run did that.`;
  }
  const isItself = record?.run.commits.at(-1)?.commitSha === sha;
  return isItself ? answer : `It is what #${pr} merged as. This run proves it.`;
}

function mergeOf({ reason, state }: Entry): string {
  if (reason.code === "MERGED_IN_ORDER" || reason.code === "DIRECT_MERGED")
    return html`as !${shaOf(reason.sha)}, ${renderProof(reason.proof)}`;
  return state === "merged" ? "not by the queue" : html`no, it is ${state.replaceAll("_", " ")}`;
}

function renderPullRequest({ queue }: TestedCommit, pr: number, title: string): string {
  return html`<a href="${pullRequestPath(queue, pr)}">#${pr}</a> <bdi class="long">${title}</bdi>`;
}

function shaOf(sha: string | undefined): string {
  return sha === undefined ? "not built" : html`<code class="sha">${sha}</code>`;
}

function section(
  state: string,
  word: string,
  verdict: string,
  facts: readonly (readonly string[])[],
): string {
  const list = facts.map(
    ([name = "", content = ""]) => html`<div><dt>${name}</dt><dd>!${content}</dd></div>`,
  );
  const badge = state === "" ? "" : html`<span class="state ${state}">${word}</span> `;
  return html`<article class="run"><p>!${badge}${verdict}</p><dl class="facts-list">!${list}</dl></article>`;
}
