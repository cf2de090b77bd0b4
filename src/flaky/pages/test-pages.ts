import type { FastifyInstance } from "fastify";
import { html } from "ghtml";
import type { DashboardParts } from "../../dashboard/dashboard-parts.ts";
import { testsPath } from "../../dashboard/paths.ts";
import {
  addressOf,
  askToSignIn,
  fullName,
  notFound,
  overviewCrumb,
  show,
} from "../../dashboard/routes/replies.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { TestSearch, TestState } from "../store/reads/test-records.ts";
import { renderFoundTests, renderTest, renderTests } from "./tests-page.ts";

const testsShown = 50;

/** The unhealthy tests of a repository, a search among all its tests, and a page for each test. */
export function serveTestPages(app: FastifyInstance, { tests, sessions, now }: DashboardParts): void {
  app.get("/tests/:host/:owner/:name", async (request, reply) => {
    const { repo } = addressOf(request);
    const { page: token } = request.query as { page?: unknown };
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    if (!(await viewer.mayShow(repo))) return notFound(reply, "repository");
    const search = readTestSearch(request.query);
    const title = `Tests of ${fullName(repo)}`;
    const frame = { isLive: false, crumbs: [overviewCrumb] };
    if (search) {
      const found = await tests.search(repo, search);
      return show(reply, title, renderFoundTests(repo, search, found, now()), viewer, frame);
    }
    const read = await tests.page({
      repo,
      list: { kind: "unhealthy", status: null },
      size: testsShown,
      token: typeof token === "string" ? token : "",
    });
    if (!read.ok) return notFound(reply, "page");
    return show(reply, title, renderTests(repo, read.value, now()), viewer, frame);
  });

  app.get("/tests/:host/:owner/:name/:id", async (request, reply) => {
    const { repo } = addressOf(request);
    const { id = "" } = request.params as Record<string, string>;
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    const read = (await viewer.mayShow(repo)) ? await tests.details(repo, id) : null;
    if (!read?.ok) return notFound(reply, "test");
    const formToken = (await viewer.mayAdministrate(repo)) ? viewer.formToken : null;
    return show(reply, read.value.name, renderTest(read.value, formToken, now()), viewer, {
      isLive: false,
      crumbs: [overviewCrumb, { path: testsPath(repo), text: `Tests of ${fullName(repo)}` }],
    });
  });
}

const states: Readonly<Record<TestState, string>> = {
  unhealthy: "flaky or broken",
  flaky: "flaky",
  broken: "broken",
  quarantined: "quarantined",
  any: "any",
};
const longest = 200;

/** Returns the search in the page's address; null = the whole list of flaky and broken tests. */
function readTestSearch(query: unknown): TestSearch | null {
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
  !${search ? html`<a class="clear" href="${testsPath(repo)}">all flaky and broken</a>` : ""}
</form>`;
}
