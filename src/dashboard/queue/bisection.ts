import { html } from "ghtml";
import type { CulpritSearch, SearchTest, Suspect } from "../../engine/explain/culprit-search.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { pullRequestPath } from "../paths.ts";
import { lasting } from "../pull-request/parts.ts";
import { renderChip } from "./cars.ts";

/** Larger groups are cut. */
const mostNamed = 16;

/** Renders the search for a culprit as a tree: below a test that failed are the tests of its parts. */
export function renderSearch(queue: QueueAddress, search: CulpritSearch, now: number): string {
  const { tests, suspects, prs, since } = search;
  const roots = tests.filter((test) => parentOf(tests, test) === null);
  const tree =
    roots.length === 0
      ? ""
      : html`<ul class="tree">!${roots.map((test) => renderTest(queue, search, test, now))}</ul>`;
  const named = suspects.slice(0, mostNamed).map((suspect) => renderSuspect(queue, suspect));
  const more = suspects.length > mostNamed ? ` and ${suspects.length - mostNamed} more` : "";
  const title = prs.length === 1 ? "Is it at fault?" : "Which one is at fault?";
  return html`
<section class="search">
  <h3>${title} <span class="quiet">searching for ${lasting(now - since)}</span></h3>
  !${tree}
  <p class="suspects">Under suspicion: !${named.join(" ")}${more}</p>
</section>`;
}

function renderSuspect(queue: QueueAddress, { pr, chance }: Suspect): string {
  const percent = chance === null ? "" : html` <span class="quiet">${Math.round(100 * chance)} %</span>`;
  return html`<span class="named">!${renderChip(queue, pr, "suspect")}!${percent}</span>`;
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
  const parts = search.tests.filter((other) => parentOf(search.tests, other) === test);
  const suspects = new Set(search.suspects.map(({ pr }) => pr));
  const chips = prs
    .slice(0, mostNamed)
    .map((pr) => renderChip(queue, pr, suspects.has(pr) ? "suspect" : "cleared"));
  const more = prs.length > mostNamed ? html`<span class="quiet">${prs.length - mostNamed} more</span>` : "";
  const { word, state } = outcomes[outcome];
  const last = prs.at(-1);
  const link =
    runId === null || last === undefined
      ? word
      : html`<a href="${pullRequestPath(queue, last)}#run-${runId}">${word}</a>`;
  const note =
    outcome === "under_way" && startedAt !== null
      ? `for ${lasting(now - startedAt)}`
      : failedChecks.join(", ");
  const below =
    parts.length === 0 ? "" : html`<ul>!${parts.map((part) => renderTest(queue, search, part, now))}</ul>`;
  return html`<li><div class="evidence"><span class="batch">!${chips}!${more}</span> <span class="state ${state}">!${link}</span> <small>${note}</small></div>!${below}</li>`;
}
