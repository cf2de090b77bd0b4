import { html } from "ghtml";
import { testsPath } from "../../dashboard/test-path.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { TestSearch, TestState } from "../store/reads/stored-test-reads.ts";

const states: Readonly<Record<TestState, string>> = {
  unhealthy: "flaky or broken",
  flaky: "flaky",
  broken: "broken",
  quarantined: "quarantined",
  any: "any",
};
const longest = 200;

/** Returns the search in the page's address; null = the whole list of flaky and broken tests. */
export function readTestSearch(query: unknown): TestSearch | null {
  const { q, owner, state } = query as Record<string, unknown>;
  if (q === undefined && owner === undefined && state === undefined) return null;
  return { text: textIn(q), owner: textIn(owner), state: isState(state) ? state : "unhealthy" };
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value.trim().slice(0, longest) : "";
}

function isState(value: unknown): value is TestState {
  return typeof value === "string" && Object.hasOwn(states, value);
}

/** Returns the address of the page with an owner's tests. */
export function ownerPath(repo: RepositoryRef, owner: string): string {
  return `${testsPath(repo)}?owner=${encodeURIComponent(owner)}`;
}

export function renderSearch(repo: RepositoryRef, search: TestSearch | null): string {
  const { text = "", owner = "", state = "unhealthy" } = search ?? {};
  const options = Object.entries(states).map(
    ([value, name]) => html`<option value="${value}"!${value === state ? " selected" : ""}>${name}</option>`,
  );
  return html`
<form class="search" method="get" action="${testsPath(repo)}">
  <label>Search <input type="search" name="q" value="${text}" placeholder="name, file or suite"></label>
  <label>Owner <input name="owner" value="${owner}" placeholder="@acme/payments"></label>
  <label>State <select name="state">!${options}</select></label>
  <button>Search</button>
  !${search ? html`<a href="${testsPath(repo)}">all flaky and broken</a>` : ""}
</form>`;
}
