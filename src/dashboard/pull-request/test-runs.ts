import { html } from "ghtml";
import {
  type CheckFact,
  evaluateChecks,
  factsFor,
  type RequiredCheck,
} from "../../engine/model/checks/required-checks.ts";
import { currentChecks } from "../../engine/model/checks/run-checks.ts";
import { type TestRun, testedSha } from "../../engine/model/test-run.ts";
import { brokenWorkflowsHint } from "../../engine/reasons/missing-check-reason.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised, inSentences } from "../../engine/reasons/sentence.ts";
import type { TestReader } from "../../flaky/service/test-reader.ts";
import type { EntryStory } from "../../service/queues/entry-stories.ts";
import type { CheckFailures } from "../../service/queues/failure-annotations.ts";
import { testsPath } from "../paths.ts";
import { renderAgo, renderFor } from "../times.ts";
import { addressInRepository, builtOn, lasting, linkTo, linkToCommit } from "./parts.ts";

type RunRecord = EntryStory["runs"][number];
/** The test reports of each run, by its id, and what failed checks say. Null = the visitor may not see names of tests. */
export type RunReports = {
  readonly tests: ReadonlyMap<string, Reports>;
  readonly failures: readonly CheckFailures[];
} | null;
type Reports = Awaited<ReturnType<TestReader["reportsOn"]>>;

const verdicts = {
  in_progress: "running",
  succeeded: "passed",
  failed: "failed",
  cancelled: "cancelled",
} as const;
const testsShown = 20;
const passedShown = 20;
const annotationsShown = 10;

/** Renders the test runs of a pull request, newest first. */
export function renderRuns(story: EntryStory, reports: RunReports, now: number): string {
  const { runs, events, omitted } = story;
  const none = html`<p class="empty">It has not been tested in this queue yet.</p>`;
  const shown = runs.map((record) => renderRun(story, record, reports, now));
  const isCut = omitted > 0 || events.filter(({ data }) => data.type === "run_started").length > runs.length;
  const earlier = isCut ? html`<p class="quiet">Earlier runs are not shown.</p>` : "";
  return html`<section><h2>Test runs <span class="count">${runs.length}</span></h2>!${runs.length === 0 ? none : shown}!${earlier}</section>`;
}

function renderRun(story: EntryStory, record: RunRecord, reports: RunReports, now: number): string {
  const { entry } = story.view;
  const { run, status, endedAt } = record;
  const verdict = verdicts[status];
  const sha = testedSha(run);
  const took = lasting((endedAt ?? now) - run.startedAt);
  return html`
<article class="run" id="run-${run.id}">
  <h3><span class="state ${verdict}">${verdict}</span> !${builtOn(story, startOf(story, run))}</h3>
  <p class="facts">
    <span>started !${renderAgo(run.startedAt, now)}</span>
    <span>${endedAt === null ? `running for ${took}` : `took ${took}`}</span>
    !${endedAt !== null || run.deadline === null || run.deadline < now ? "" : html`<span>times out in ${lasting(run.deadline - now)}</span>`}
    <span>base !${linkToCommit(entry, run.base)}</span>
    !${sha === null ? "" : html`<span>tested commit !${linkToCommit(entry, sha)}</span>`}
  </p>
  !${remarks(record).map((remark) => html`<p>${asSentence(capitalised(remark))}</p>`)}
  !${run.branch === null ? "" : renderChecks(story, record, now)}
  !${reports === null ? "" : renderTests(story, run, reports.tests.get(run.id) ?? [])}
  !${renderFailures((reports?.failures ?? []).filter(({ runId }) => runId === run.id))}
</article>`;
}

/** The run at its start, because a run loses members that leave it. */
function startOf({ events }: EntryStory, run: TestRun): Pick<TestRun, "ahead" | "members"> {
  const started = events.flatMap(({ data }) => (data.type === "run_started" ? [data.run] : []));
  return started.find(({ id }) => id === run.id) ?? run;
}

/** What a reader has to know about a run to understand it, as clauses. */
function remarks({ run, cancelledFor }: RunRecord): readonly string[] {
  return [
    ...(run.kind === "bisection" ? ["it looks for the cause of a failure"] : []),
    ...(run.hedge ? ["it was started in an idle slot, in case the likeliest outcome does not occur"] : []),
    ...(run.vouchedBy === null ? [] : ["it counts as passed, because a run that contains it passed"]),
    ...(run.failure === null ? [] : [renderReason(run.failure)]),
    ...(cancelledFor ? [renderReason(cancelledFor)] : []),
    ...(run.retried && !run.retried.refused
      ? ["failed checks were run again, because only known flaky or new tests failed"]
      : []),
    ...(run.missing
      ? [
          inSentences(
            `required checks have not appeared on the test branch: ${run.missing.names.join(", ")}`,
            brokenWorkflowsHint(run.missing.brokenWorkflows) ?? "",
          ),
        ]
      : []),
  ];
}

/** Renders the required checks: the failed ones first, then those that are open. */
function renderChecks({ view }: EntryStory, record: RunRecord, now: number): string {
  const { run } = record;
  const sha = testedSha(run);
  // Until the queue has read a check, only the list of all checks of the commit is known.
  const checksAddress = sha === null ? null : addressInRepository(view.entry, `commit/${sha}/checks`);
  const facts = currentChecks(run, run.checks);
  const byVerdict = Map.groupBy(run.required, (check) => evaluateChecks([check], facts).verdict);
  const { failed = [], pending = [], passed = [] } = Object.fromEntries(byVerdict);
  const more = passed.length - passedShown;
  const items = [...failed, ...pending, ...passed.slice(0, passedShown)].map((check) =>
    renderCheck(record, check, checksAddress, now),
  );
  return html`<ul class="checks">!${items}!${more > 0 ? html`<li class="quiet">and ${more} more that passed</li>` : ""}</ul>`;
}

function renderCheck(
  { run, endedAt }: RunRecord,
  check: RequiredCheck,
  list: string | null,
  now: number,
): string {
  const facts = currentChecks(run, run.checks);
  const { verdict, failed } = evaluateChecks([check], facts);
  const fact = latestOf(check, facts);
  const isRunning = factsFor(check, facts).some(({ status }) => status === "in_progress");
  const begun = fact === undefined ? "no result yet" : isRunning ? "running" : "queued";
  const open = endedAt !== null ? "no result" : begun;
  const state = verdict === "pending" ? open : verdict;
  const look = verdict === "pending" && state !== "running" ? "queued" : state;
  const details = [
    ...(failed[0] && failed[0].conclusion !== "failure"
      ? [html`${failed[0].conclusion.replaceAll("_", " ")}`]
      : []),
    ...(fact && (fact.status === "completed" || endedAt === null) ? timesOf(run, fact, now) : []),
  ];
  const name = linkTo(failed[0]?.url ?? fact?.url ?? list, html`<bdi>${check.name}</bdi>`);
  return html`<li><span class="check ${look}">${state}</span> !${name} <span class="quiet">!${details.join(", ")}</span></li>`;
}

/** A check of a run cannot have begun before the run. Other Apps set the times of their checks themselves, so these may be wrong. */
const longestBeforeRunMs = 86_400_000;

/** How long a check took, or has been running or queued, as HTML. By the code host's clock, whose times are whole seconds. */
function timesOf(run: TestRun, { status, startedAt, completedAt }: CheckFact, now: number): string[] {
  const isKnown = startedAt !== undefined && startedAt > run.startedAt - longestBeforeRunMs;
  if (completedAt === undefined) {
    if (!isKnown || status === "completed") return [];
    // The start of a check that is queued is the time at which it was created.
    return [html`for !${renderFor(startedAt, now)}`];
  }
  return [
    ...(isKnown && startedAt <= completedAt ? [`took ${lasting(completedAt - startedAt)}`] : []),
    ...(run.builtAt === null ? [] : [`ended ${lasting(completedAt - run.builtAt)} after the push`]),
  ];
}

function latestOf({ name, appId }: RequiredCheck, facts: readonly CheckFact[]): CheckFact | undefined {
  const own = facts.filter((fact) => fact.name === name && (appId === null || fact.appId === appId));
  return own.toSorted((a, b) => a.id - b.id).at(-1);
}

interface FailedTest {
  readonly name: string;
  /** Where the test failed, if a report says so. */
  readonly place: string;
  readonly mark: "" | "quarantined" | "flaky" | "new";
}

/**
 * The tests that failed according to the reports of the jobs, and those that the run itself stores, because reports are kept for a shorter
 * time.
 */
function failedTests({ forgiven = [], retried }: TestRun, reports: Reports): readonly FailedTest[] {
  const found = new Map<string, FailedTest>();
  const marks = [
    ...forgiven.map((name) => [name, "quarantined"] as const),
    ...(retried?.tests ?? []).map((name) => [name, "flaky"] as const),
    ...(retried?.newTests ?? []).map((name) => [name, "new"] as const),
  ];
  for (const [name, mark] of marks) found.set(name, { name, mark, place: "" });
  for (const { failed, verdict, job, runAttempt } of reports)
    for (const { name, isKnownFlaky } of failed) {
      const now = verdict === "quarantined" ? "quarantined" : isKnownFlaky ? "flaky" : "";
      found.set(name, { name, mark: found.get(name)?.mark || now, place: `${job}, attempt ${runAttempt}` });
    }
  return [...found.values()];
}

/** Renders the tests that failed in a run; empty if no report names one. */
export function renderTests(
  { repo }: EntryStory,
  run: TestRun,
  reports: Reports,
  heading = "<h4>Failed tests</h4>",
): string {
  const tests = failedTests(run, reports);
  if (tests.length === 0) return "";
  const items = tests.slice(0, testsShown).map(({ name, place, mark }) => {
    const path = `${testsPath(repo)}?state=any&q=${encodeURIComponent(name.slice(0, 200))}`;
    return html`<li><a href="${path}"><bdi>${name}</bdi></a> <span class="quiet">${place}</span> !${mark === "" ? "" : html`<span class="tag">${mark}</span>`}</li>`;
  });
  const more = tests.length - items.length;
  return html`!${heading}<ul class="failed-tests">!${items}!${more > 0 ? html`<li class="quiet">and ${more} more</li>` : ""}</ul>`;
}

/** Renders what the failed checks say at the code host. Anyone who can start CI may have written it. */
function renderFailures(failures: readonly CheckFailures[]): string {
  const told = failures.flatMap(({ check, annotations }) =>
    (annotations ?? []).map(({ place, text }) => {
      const where = place === null ? "" : html`<code><bdi>${place}</bdi></code>, `;
      return html`<li><bdi>${text}</bdi> <span class="quiet">!${where}<bdi>${check}</bdi></span></li>`;
    }),
  );
  const more = told.length - annotationsShown;
  const notes = [
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(failures.some(({ annotations }) => annotations === null)
      ? ["GitHub has not answered yet. Reload the page."]
      : []),
  ].map((note) => html`<li class="quiet">${note}</li>`);
  if (told.length + notes.length === 0) return "";
  return html`<h4>What the failed checks say on GitHub</h4><ul class="failed-tests">!${told.slice(0, annotationsShown)}!${notes}</ul>`;
}
