import { html } from "ghtml";
import { testPath, testsPath } from "../../dashboard/paths.ts";
import { lasting, linkTo } from "../../dashboard/pull-request/parts.ts";
import { renderSparkline } from "../../dashboard/sparkline.ts";
import { renderAgo } from "../../dashboard/times.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import type { TestCost } from "../failure/test-cost.ts";
import type { JobRun, ListedTest, RunCounts } from "../store/reads/test-records.ts";

/** Parts of the pages of tests. The functions return HTML. */

export interface TestView {
  /** Null for somebody who may not change quarantines. */
  readonly formToken: string | null;
  readonly repo: RepositoryRef;
  /** The address of the repository at the code host. */
  readonly home: string;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

type Named = Pick<ListedTest, "id" | "name" | "file" | "parent" | "classname" | "variant">;

export function renderName(repo: RepositoryRef, test: Named): string {
  return html`<a class="title" href="${testPath(repo, test.id)}">${test.name}</a><small class="title">!${renderPlace(repo, test)}</small>`;
}

/** Renders where the test is. Its file, or else its suite or class, links to the other tests there. */
export function renderPlace(repo: RepositoryRef, { file, parent, classname, variant }: Named): string {
  const place = file ?? parent ?? classname;
  const rest = [...(file === null ? [] : [parent]), variant].filter((part) => part !== null && part !== "");
  const link =
    place === null || place === ""
      ? []
      : [
          html`<a href="${testsPath(repo)}?${new URLSearchParams({ suite: place.slice(0, 200) })}">${place}</a>`,
        ];
  return [...link, ...rest.map((part) => html`<bdi>${part}</bdi>`)].join(" · ");
}

export function renderStatus({
  status,
  quarantinedAt,
}: Pick<ListedTest, "status" | "quarantinedAt">): string {
  const name = status.status.toLowerCase();
  const held = quarantinedAt === null ? "" : html` <span class="state quarantined">quarantined</span>`;
  return html`<span class="state ${name}">${name}</span>!${held}`;
}

export function renderOwners(repo: RepositoryRef, owners: readonly string[]): string {
  return owners
    .map(
      (owner) =>
        html`<a class="owner" href="${testsPath(repo)}?${new URLSearchParams({ owner })}">${owner}</a>`,
    )
    .join(" ");
}

export function renderRate({ runs, failures }: RunCounts): string {
  if (runs === 0) return "did not run";
  return `${((failures / runs) * 100).toFixed(1)} % of ${counted(runs, "run")}`;
}

/** @param lastWeek all runs, if they are known */
export function renderFailedRuns(
  { byDay, failedRuns, failedRunsBefore }: TestCost,
  lastWeek: RunCounts | null,
): string {
  const words = `Failed runs in each of the last 14 days: ${byDay.join(", ")}`;
  const more = failedRuns - failedRunsBefore;
  const change =
    failedRunsBefore === 0
      ? "none the week before"
      : more === 0
        ? "as many as the week before"
        : `${Math.abs(more)} ${more > 0 ? "more" : "fewer"} than the week before`;
  const isQuiet = failedRuns + failedRunsBefore === 0;
  const notes = [...(lastWeek ? [renderRate(lastWeek)] : []), ...(isQuiet ? [] : [change])];
  return html`<span class="trend failures">${failedRuns} !${renderSparkline(byDay, words)}</span><small>${notes.join(", ")}</small>`;
}

/** @param ms null: not known */
export function renderTime(ms: number | null): string {
  if (ms === null || ms === 0) return html`<span class="quiet">–</span>`;
  return html`${ms < 500 ? "< 1 s" : lasting(ms)}`;
}

export const outsideLegend = html`<b>Tests outside the queue</b>: how long all tests took, by their reports, in jobs on pull requests and branches that it failed and that ran again on the same code. How long these jobs took is not known: reports do not say when a job began, and tests may run in parallel.`;

/** Renders the time of the queue's test runs, and of tests outside of it. */
export function renderCiTime({ queueMs, outsideMs }: Pick<TestCost, "queueMs" | "outsideMs">): string {
  return html`!${renderTime(queueMs)}!${outsideMs ? html`<small>tests outside the queue: !${renderTime(outsideMs)}</small>` : ""}`;
}

/** Links a pull request to its page. Which queue it was in is looked up when the link is followed. */
export function renderPullRequest(repo: RepositoryRef, pr: number): string {
  return html`<a href="${testsPath(repo)}/pulls/${pr}">#${pr}</a>`;
}

/** A run with links to GitHub. Runs of other CI systems are not on GitHub, but their commits are. */
export function renderRun({ repo, home, now }: TestView, run: JobRun): string {
  const name = html`run ${run.runId}${run.runAttempt > 1 ? `, attempt ${run.runAttempt}` : ""}`;
  const isOfGitHub = /^\d+$/.test(run.runId);
  const path = `${home}/actions/runs/${run.runId}/attempts/${run.runAttempt}`;
  const tested =
    run.pr === null
      ? html`on <span class="branch">${run.branch}</span>`
      : html`${run.kind === "queue" ? "in the queue for" : "in"} !${renderPullRequest(repo, run.pr)}`;
  const commit = linkTo(`${home}/commit/${run.headSha}`, html`<code>${run.headSha.slice(0, 7)}</code>`);
  return html`!${linkTo(isOfGitHub ? path : null, name)} of <bdi>${run.job}</bdi> !${tested}, commit !${commit}, !${renderAgo(run.at, now)}`;
}
