import { html } from "ghtml";
import type { CulpritSearch, SearchTest } from "../../engine/policies/culprit-search.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { QueueTracks } from "../../service/runtime/queue-tracks.ts";
import { pullRequestPath } from "../paths.ts";
import { renderDuration } from "../times.ts";
import { renderCar, renderChip } from "./cars.ts";

/** Larger groups are cut. */
const mostDrawn = 16;

/** Renders the search for a culprit: the pull requests in question, and a tree. Below a test that failed are the tests of its parts. */
export function renderSearch(queue: QueueAddress, { cars, at }: QueueTracks, search: CulpritSearch): string {
  const { tests, prs, since } = search;
  const stateOf = verdicts(search);
  const drawn = prs.slice(0, mostDrawn).flatMap((pr) => {
    const car = cars[pr];
    return car ? [renderCar(queue, cars, car, stateOf(pr), chanceOf(search, pr))] : [];
  });
  const roots = tests.filter((test) => parentOf(tests, test) === null);
  const tree = roots.map((test) => renderTest(queue, search, test, at));
  return html`
<section class="bisection">
  <h3>${prs.length === 1 ? "Is it at fault?" : "Which one is at fault?"} <span class="quiet">searching for ${renderDuration(at - since)}</span></h3>
  <div class="batch">!${drawn}!${more(prs)}</div>
  !${tree.length === 0 ? "" : html`<ul class="tree">!${tree}</ul>`}
</section>`;
}

/** What is known about each pull request. Those in a test that passed are cleared. */
function verdicts({ tests, suspects }: CulpritSearch): (pr: number) => "suspect" | "cleared" | "open" {
  const accused = new Set(suspects.map(({ pr }) => pr));
  const passed = new Set(tests.flatMap(({ outcome, prs }) => (outcome === "passed" ? prs : [])));
  return (pr) => (accused.has(pr) ? "suspect" : passed.has(pr) ? "cleared" : "open");
}

function chanceOf({ suspects }: CulpritSearch, pr: number): string {
  const chance = suspects.find((suspect) => suspect.pr === pr)?.chance ?? null;
  return chance === null ? "" : `, ${Math.round(100 * chance)} %`;
}

function more(prs: readonly number[]): string {
  return prs.length > mostDrawn ? html` <span class="quiet">${prs.length - mostDrawn} more</span>` : "";
}

/** The smallest group that failed and contains all of a test; null = there is none. */
function parentOf(tests: readonly SearchTest[], test: SearchTest): SearchTest | null {
  let smallest: SearchTest | null = null;
  for (const other of tests) {
    const isWider =
      other.outcome === "failed" &&
      other.prs.length > test.prs.length &&
      test.prs.every((pr) => other.prs.includes(pr));
    if (isWider && (smallest === null || other.prs.length < smallest.prs.length)) smallest = other;
  }
  return smallest;
}

const outcomes = {
  failed: { word: "failed", state: "failed" },
  passed: { word: "passed", state: "passed" },
  under_way: { word: "under way", state: "running" },
} as const;

function renderTest(queue: QueueAddress, search: CulpritSearch, test: SearchTest, now: number): string {
  const { prs, outcome, startedAt, failedChecks, runId } = test;
  const stateOf = verdicts(search);
  const chips = prs.slice(0, mostDrawn).map((pr) => renderChip(queue, pr, stateOf(pr)));
  const { word, state } = outcomes[outcome];
  const last = prs.at(-1);
  const link =
    runId === null || last === undefined
      ? word
      : html`<a href="${pullRequestPath(queue, last)}#run-${runId}">${word}</a>`;
  const note =
    outcome === "under_way" && startedAt !== null
      ? `for ${renderDuration(now - startedAt)}`
      : failedChecks.join(", ");
  const parts = search.tests.filter((other) => parentOf(search.tests, other) === test);
  const below = parts.map((part) => renderTest(queue, search, part, now));
  return html`<li><div class="evidence"><span class="batch">!${chips.join(" ")}!${more(prs)}</span> <span class="state ${state}">!${link}</span> <small>${note}</small></div>!${below.length === 0 ? "" : html`<ul>!${below}</ul>`}</li>`;
}
