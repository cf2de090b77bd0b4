import { html } from "ghtml";
import type { CulpritSearch, SearchTest } from "../../engine/explain/culprit-search.ts";
import { lasting } from "../pull-request/parts.ts";
import { type Drawing, renderChip } from "./tracks.ts";

/** Renders the search for a culprit as a tree: below a test that failed are the tests of its parts. */
export function renderSearch(drawing: Drawing, search: CulpritSearch): string {
  const { tests, suspects, since } = search;
  const roots = tests.filter((test) => parentOf(tests, test) === null);
  return html`
<section class="search"><h3>Who broke the batch? <small>searching for ${lasting(drawing.tracks.at - since)}</small></h3>
<ul class="tree">!${roots.map((test) => renderTest(drawing, search, test))}</ul>
<p>Still suspect: !${suspects.map(({ pr, chance }) => html`!${renderChip(drawing, pr, "suspect")} ${chance === null ? "" : `${Math.round(100 * chance)} %`} `)}</p></section>`;
}

/** The smallest group that failed and contains all of a test. */
function parentOf(tests: readonly SearchTest[], test: SearchTest): SearchTest | null {
  const wider = tests.filter(
    ({ outcome, prs }) =>
      outcome === "failed" && prs.length > test.prs.length && test.prs.every((pr) => prs.includes(pr)),
  );
  return wider.sort((a, b) => a.prs.length - b.prs.length)[0] ?? null;
}

const outcomes = { failed: "failed", passed: "passed", under_way: "under way" } as const;

function renderTest(drawing: Drawing, search: CulpritSearch, test: SearchTest): string {
  const parts = search.tests.filter((other) => parentOf(search.tests, other) === test);
  const suspects = new Set(search.suspects.map(({ pr }) => pr));
  const chips = test.prs.map((pr) => renderChip(drawing, pr, suspects.has(pr) ? "suspect" : "cleared"));
  const below =
    parts.length === 0 ? "" : html`<ul>!${parts.map((part) => renderTest(drawing, search, part))}</ul>`;
  return html`<li class="${test.outcome}">!${chips} <span class="state ${test.outcome}">${outcomes[test.outcome]}</span> ${test.failedChecks.join(", ")}!${below}</li>`;
}
