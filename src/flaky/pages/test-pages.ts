import type { FastifyInstance } from "fastify";
import type { DashboardServices } from "../../dashboard/dashboard-services.ts";
import { pullRequestPath, testsPath } from "../../dashboard/paths.ts";
import { serveToMembers } from "../../dashboard/routes/member-pages.ts";
import { fullName, notFound, overviewCrumb, show } from "../../dashboard/routes/replies.ts";
import { sameRepository } from "../../service/runtime/directory.ts";
import { renderTest } from "./test-page.ts";
import { orders, renderTests, states, type TestsForm } from "./tests-page.ts";

/** A search among the tests of a repository, and a page for each test. */
export function serveTestPages(app: FastifyInstance, services: DashboardServices): void {
  const { knownTests, overview, now } = services;
  serveToMembers(app, services, "/tests/:host/:owner/:name", "repository", async (visit) => {
    const { request, reply, viewer } = visit;
    const { repo } = visit.queue;
    const form = readForm(request.query);
    const { q: text, owner, suite, state, sort: order } = form;
    const page = pageIn(request.query);
    const found = await knownTests.search(repo, { text, owner, suite, state }, { order, page });
    if (page > (found?.pages ?? 1)) return notFound(reply, "page");
    const title = `Tests of ${fullName(repo)}`;
    return show(reply, title, renderTests(repo, form, found, now()), viewer, {
      isLive: false,
      assets: ["tests.css"],
      crumbs: [overviewCrumb],
    });
  });

  serveToMembers(app, services, "/tests/:host/:owner/:name/:id", "test", async (visit) => {
    const { request, reply, viewer } = visit;
    const { repo } = visit.queue;
    const { id = "" } = request.params as Record<string, string>;
    const shown = await knownTests.story(repo, id);
    if (!shown) return notFound(reply, "test");
    const formToken = (await viewer.mayAdministrate(repo)) ? viewer.formToken : null;
    const home = knownTests.addresses.repository(repo);
    return show(reply, shown.test.name, renderTest(shown, { formToken, repo, home, now: now() }), viewer, {
      isLive: false,
      assets: ["tests.css"],
      crumbs: [overviewCrumb, { path: testsPath(repo), text: `Tests of ${fullName(repo)}` }],
    });
  });

  // A page of a test names many pull requests, so each is looked up only when its link is followed.
  serveToMembers(app, services, "/tests/:host/:owner/:name/pulls/:number", "pull request", async (visit) => {
    const { request, reply } = visit;
    const { repo } = visit.queue;
    const { number = "" } = request.params as Record<string, string>;
    if (!/^[1-9]\d{0,9}$/.test(number)) return notFound(reply, "pull request");
    const pr = Number(number);
    const queues = (await overview.list()).filter((queue) => sameRepository(queue.repo, repo));
    const [found] = await overview.search(queues, { pr }, 1);
    const home = knownTests.addresses.repository(repo);
    return reply.redirect(found ? pullRequestPath(found.queue, pr) : `${home}/pull/${pr}`);
  });
}

const longest = 200;

/** Returns the filters in the page's address. Values that do not exist count as absent. */
function readForm(query: unknown): TestsForm {
  const { q, owner, suite, state, sort } = query as Record<string, unknown>;
  return {
    ...{ q: textIn(q), owner: textIn(owner), suite: textIn(suite) },
    state: oneOf(states, state) ?? "unhealthy",
    sort: oneOf(orders, sort) ?? "cost",
  };
}

function pageIn(query: unknown): number {
  const { page } = query as { page?: unknown };
  return typeof page === "string" && /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1;
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value.trim().slice(0, longest) : "";
}

function oneOf<Name extends string>(names: Readonly<Record<Name, string>>, value: unknown): Name | null {
  return typeof value === "string" && Object.hasOwn(names, value) ? (value as Name) : null;
}
