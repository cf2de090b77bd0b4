import { html } from "ghtml";
import {
  type CheckFact,
  evaluateChecks,
  type RequiredCheck,
} from "../../engine/model/checks/required-checks.ts";
import { currentChecks } from "../../engine/model/checks/run-checks.ts";
import { type TestRun, testedSha } from "../../engine/model/test-run.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
import type { TestReader } from "../../flaky/service/test-reader.ts";
import type { EntryStory } from "../../service/queues/entry-stories.ts";
import { testsPath } from "../paths.ts";
import { ago, lasting, linksTo, linkTo, linkToCommit } from "./parts.ts";

type RunRecord = EntryStory["runs"][number];
/** The test reports of each run, by its id; null = the visitor may not see names of tests. */
export type RunReports = ReadonlyMap<string, Reports> | null;
type Reports = Awaited<ReturnType<TestReader["reportsOn"]>>;

const verdicts = {
  in_progress: "running",
  succeeded: "passed",
  failed: "failed",
  cancelled: "cancelled",
} as const;
const testsShown = 20;

/** Renders the test runs of a pull request, newest first. */
export function renderRuns(story: EntryStory, reports: RunReports, now: number): string {
  const { runs } = story;
  const none = html`<p class="empty">It has not been tested in this queue yet.</p>`;
  const shown = runs.map((record) => renderRun(story, record, reports, now));
  return html`<section><h2>Test runs <span class="count">${runs.length}</span></h2>!${runs.length === 0 ? none : shown}</section>`;
}

function renderRun(story: EntryStory, record: RunRecord, reports: RunReports, now: number): string {
  const { entry } = story.view;
  const { run, status, endedAt } = record;
  const verdict = verdicts[status];
  const sha = testedSha(run);
  const took = lasting((endedAt ?? now) - run.startedAt);
  return html`
<article class="run" id="run-${run.id}">
  <h3><span class="state ${verdict}">${verdict}</span> !${builtOn(story, run)}</h3>
  <p class="facts">
    <span>started !${ago(run.startedAt, now)}</span>
    <span>${endedAt === null ? `running for ${took}` : `took ${took}`}</span>
    <span>base !${linkToCommit(entry, run.base)}</span>
    !${sha === null ? "" : html`<span>tested commit !${linkToCommit(entry, sha)}</span>`}
  </p>
  !${remarks(story, record).map((remark) => html`<p>${asSentence(capitalised(remark))}</p>`)}
  !${run.branch === null ? "" : html`<ul class="checks">!${run.required.map((check) => renderCheck(record, check))}</ul>`}
  !${reports === null ? "" : renderTests(story, run, reports.get(run.id) ?? [])}
</article>`;
}

/** What the test commit contains besides the pull request itself. */
function builtOn({ view, branch, ...queue }: EntryStory, run: TestRun): string {
  const address = { repo: queue.repo, branch };
  const place = run.members.indexOf(view.entry.pr);
  const below = [...run.ahead, ...run.members.slice(0, place)];
  const base =
    below.length === 0
      ? html`on <span class="branch">${branch}</span>`
      : `on top of ${linksTo(address, below)}`;
  const behind = run.members.slice(place + 1);
  return behind.length === 0 ? base : `${base}, in a batch with ${linksTo(address, behind)} behind it`;
}

/** What a reader has to know about a run to understand it, as clauses. */
function remarks({ events }: EntryStory, { run, status, endedAt }: RunRecord): readonly string[] {
  // The run and the entry change in one decision, so at the same time.
  const leaving = events.find(({ data, at }) => data.type === "entry_moved" && at === endedAt);
  const cause = leaving?.data.type === "entry_moved" ? leaving.data.reason : null;
  return [
    ...(run.kind === "bisection" ? ["it tests a part of a batch that failed, to find the culprit"] : []),
    ...(run.hedge ? ["it was started in an idle slot, in case the likeliest outcome does not occur"] : []),
    ...(run.vouchedBy === null ? [] : ["it counts as passed, because a run that contains it passed"]),
    ...(run.failure === null ? [] : [renderReason(run.failure)]),
    ...(status === "cancelled" && cause ? [renderReason(cause)] : []),
    ...(run.retried && !run.retried.refused
      ? ["failed checks were run again, because only known flaky or new tests failed"]
      : []),
    ...(run.missing
      ? [`required checks have not appeared on the test branch: ${run.missing.names.join(", ")}`]
      : []),
  ];
}

function renderCheck({ run, endedAt }: RunRecord, check: RequiredCheck): string {
  const facts = currentChecks(run, run.checks);
  const { verdict, failed } = evaluateChecks([check], facts);
  const fact = latestOf(check, facts);
  const open = fact === undefined ? "not reported" : endedAt === null ? "running" : "not finished";
  const state = verdict === "pending" ? open : verdict;
  const details = [
    ...(failed[0] && failed[0].conclusion !== "failure" ? [failed[0].conclusion.replaceAll("_", " ")] : []),
    // By the code host's clock, whose times are whole seconds.
    ...(fact?.completedAt && run.builtAt !== null
      ? [`${lasting(fact.completedAt - run.builtAt)} after the push`]
      : []),
  ];
  const name = linkTo(failed[0]?.url ?? fact?.url ?? null, html`<bdi>${check.name}</bdi>`);
  return html`<li><span class="check ${verdict}">${state}</span> !${name} <span class="quiet">${details.join(", ")}</span></li>`;
}

function latestOf({ name, appId }: RequiredCheck, facts: readonly CheckFact[]): CheckFact | undefined {
  const own = facts.filter((fact) => fact.name === name && (appId === null || fact.appId === appId));
  return own.toSorted((a, b) => a.id - b.id).at(-1);
}

/** Renders the tests that failed by the reports of the jobs; nothing if no test failed, or nothing was reported. */
function renderTests({ repo }: EntryStory, run: TestRun, reports: Reports): string {
  const spared = new Set(run.forgiven);
  const tests = new Map(
    reports.flatMap((report) =>
      report.failed.map((test) => [`${report.job}\n${test.name}`, { ...test, report }] as const),
    ),
  );
  if (tests.size === 0) return "";
  const items = [...tests.values()].slice(0, testsShown).map(({ name, isKnownFlaky, report }) => {
    const isSpared = spared.has(name) || report.verdict === "quarantined";
    const mark = isSpared ? "quarantined" : isKnownFlaky ? "flaky" : "";
    const path = `${testsPath(repo)}?state=any&q=${encodeURIComponent(name.slice(0, 200))}`;
    return html`<li><a href="${path}"><bdi>${name}</bdi></a> <span class="quiet">${report.job}, attempt ${report.runAttempt}</span> !${mark === "" ? "" : html`<span class="tag">${mark}</span>`}</li>`;
  });
  const more = tests.size - items.length;
  return html`<h4>Failed tests</h4><ul class="failed-tests">!${items}!${more > 0 ? html`<li class="quiet">and ${more} more</li>` : ""}</ul>`;
}
