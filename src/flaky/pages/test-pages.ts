import type { FastifyInstance } from "fastify";
import type { DashboardParts } from "../../dashboard/dashboard-parts.ts";
import { addressOf, askToSignIn, notFound, show } from "../../dashboard/routes/replies.ts";
import { readTestSearch } from "./test-search.ts";
import { renderFoundTests, renderTest, renderTests } from "./tests-page.ts";

const testsShown = 50;

/** The unhealthy tests of a repository, a search among all its tests, and a page for each test. */
export function serveTestPages(app: FastifyInstance, { tests, sessions }: DashboardParts): void {
  app.get("/tests/:host/:owner/:name", async (request, reply) => {
    const { repo } = addressOf(request);
    const { page: token } = request.query as { page?: unknown };
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    if (!viewer.mayShow(repo)) return notFound(reply, "repository");
    const search = readTestSearch(request.query);
    const title = `Tests of ${repo.owner}/${repo.name}`;
    if (search) {
      const found = await tests.search(repo, search);
      return show(reply, title, renderFoundTests(repo, search, found), viewer);
    }
    const read = await tests.page({
      repo,
      list: { kind: "unhealthy", status: null },
      size: testsShown,
      token: typeof token === "string" ? token : "",
    });
    if (!read.ok) return notFound(reply, "page");
    return show(reply, title, renderTests(repo, read.value), viewer);
  });

  app.get("/tests/:host/:owner/:name/:id", async (request, reply) => {
    const { repo } = addressOf(request);
    const { id = "" } = request.params as Record<string, string>;
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    const read = viewer.mayShow(repo) ? await tests.details(repo, id) : null;
    if (!read?.ok) return notFound(reply, "test");
    return show(reply, read.value.name, renderTest(read.value), viewer);
  });
}
