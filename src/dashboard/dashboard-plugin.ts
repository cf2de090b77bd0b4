import fastifyCookie from "@fastify/cookie";
import fastifyFormbody from "@fastify/formbody";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { QueueDoctor } from "../service/doctor/queue-doctor.ts";
import type { GivenUpDeliveries } from "../service/observation/given-up-deliveries.ts";
import type { QueueAddress, QueueService } from "../service/queue/queue-service.ts";
import type { TestReader } from "../service/tests/test-reader.ts";
import { serveAssets } from "./assets.ts";
import { renderDoctor } from "./doctor-page.ts";
import { isOwnForm } from "./form-origin.ts";
import { renderGivenUp } from "./given-up.ts";
import { renderForeignForm, renderHome, renderLogin } from "./home-page.ts";
import type { LivePages } from "./live.ts";
import { type NextStepsFacts, nextStepsPath, renderNextSteps } from "./next-steps-page.ts";
import { ownPath } from "./own-path.ts";
import { renderPage } from "./page.ts";
import { memberLinks, publicLinks, queuePath, renderQueue, renderQueuePage } from "./queue-page.ts";
import type { ApiDocument } from "./reference/api-document.ts";
import { renderReference } from "./reference/reference-page.ts";
import type { Sessions, Viewer } from "./session.ts";
import { readTestSearch } from "./test-search.ts";
import { renderFoundTests, renderTest, renderTests } from "./tests-page.ts";

export interface DashboardParts {
  readonly queues: Pick<QueueService, "readQueue" | "isPagePublic" | "listQueues" | "recentlyEnded">;
  readonly givenUp: Pick<GivenUpDeliveries, "ofRepository">;
  readonly tests: Pick<TestReader, "page" | "search" | "details">;
  readonly doctor: Pick<QueueDoctor, "examine">;
  readonly sessions: Sessions;
  readonly live: LivePages;
  /** Returns the API's description, which is public. */
  readonly apiDocument: () => object;
  /** The public address of the pages; null = the address that each request was sent to. */
  readonly publicUrl: string | null;
  readonly nextSteps: NextStepsFacts;
  readonly now: () => number;
}

/** Only the style and the icon are loaded, and no script runs. */
const inertPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Nothing is loaded from other origins, no inline script runs, and no site can frame the page. */
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  // Not "no-referrer": browsers would then also hide from us that a form is our own.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

const page = "text/html; charset=utf-8";
const needsAdministrator =
  "This page needs an API token with the scopes read and queue:admin of the repository's organisation.";
const endedShown = 25;
const testsShown = 50;
const givenUpShown = 25;

/** Server-rendered pages with the same views as the API. Server-sent events keep them up to date. */
export function dashboardPlugin({
  queues,
  givenUp,
  tests,
  doctor,
  sessions,
  live,
  apiDocument,
  publicUrl,
  nextSteps,
  now,
}: DashboardParts): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    await app.register(fastifyCookie);
    await app.register(fastifyFormbody, { bodyLimit: 10_000 });
    app.addHook("onRequest", async (_request, reply) => {
      reply.headers(securityHeaders);
    });
    serveAssets(app);

    let reference: string | null = null;
    app.get("/docs", async (_request, reply) => {
      reference ??= renderReference(apiDocument() as ApiDocument);
      return reply.header("content-security-policy", inertPolicy).type(page).send(reference);
    });

    app.get(nextStepsPath, async (request, reply) =>
      show(reply, "Next steps", renderNextSteps(nextSteps, request.query)),
    );

    app.get("/", async (request, reply) => {
      const viewer = await sessions.viewer(request);
      if (!viewer) return askToSignIn(request, reply);
      const visible = (await queues.listQueues()).filter(({ repo }) => viewer.mayShow(repo));
      return show(reply, "Queues", renderHome(visible), viewer);
    });

    const fromOurs = async (request: FastifyRequest, reply: FastifyReply) => {
      if (!isOwnForm(request, publicUrl)) return show(reply.code(403), "Refused", renderForeignForm());
    };

    app.post("/login", { preHandler: fromOurs }, async (request, reply) => {
      const { token, next } = (request.body ?? {}) as { token?: unknown; next?: unknown };
      const isGood = await sessions.signIn(String(token ?? "").trim(), request, reply);
      const path = ownPath(next);
      if (isGood) return reply.redirect(path, 303);
      const problem = "That token is unknown, expired or revoked, or lacks the scope read.";
      return show(reply.code(401), "Sign in", renderLogin(problem, path));
    });

    app.post("/logout", { preHandler: fromOurs }, async (request, reply) => {
      await sessions.signOut(request, reply);
      return reply.redirect("/", 303);
    });

    app.get("/queues/:host/:owner/:name/:branch", async (request, reply) => {
      const queue = addressOf(request);
      const viewer = await sessions.viewer(request);
      const content = await contentFor(viewer, queue);
      // Nobody who has not signed in learns which queues exist.
      if (content === null) return viewer ? notFound(reply) : askToSignIn(request, reply);
      const title = `${queue.repo.owner}/${queue.repo.name}`;
      return show(reply, title, renderQueuePage(queue, content), viewer);
    });

    app.get("/queues/:host/:owner/:name/:branch/doctor", async (request, reply) => {
      const queue = addressOf(request);
      const viewer = await sessions.viewer(request);
      if (!viewer) return askToSignIn(request, reply);
      if (!viewer.mayShow(queue.repo) || !(await queues.readQueue(queue)).ok) return notFound(reply);
      // Each examination makes calls to GitHub.
      if (!viewer.mayAdministrate(queue.repo))
        return show(
          reply.code(403),
          "Sign in",
          renderLogin(needsAdministrator, ownPath(request.url)),
          viewer,
        );
      const examined = await doctor.examine(queue);
      if (!examined.ok) return notFound(reply);
      const title = `Doctor · ${queue.repo.owner}/${queue.repo.name}`;
      return show(reply, title, renderDoctor(queue, examined.value), viewer);
    });

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
      const list = { kind: "unhealthy", status: null } as const;
      const read = await tests.page({
        repo,
        list,
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

    app.get("/queues/:host/:owner/:name/:branch/live", async (request, reply) => {
      const queue = addressOf(request);
      const content = async () => contentFor(await sessions.viewer(request), queue);
      if ((await content()) === null) return notFound(reply);
      return live.open(queuePath(queue).toLowerCase(), reply, content);
    });

    /** Returns null when the viewer may not see the queue, or when there is none. */
    async function contentFor(viewer: Viewer | null, queue: QueueAddress): Promise<string | null> {
      const isMember = viewer?.mayShow(queue.repo) ?? false;
      if (!isMember && !(await queues.isPagePublic(queue))) return null;
      const view = await queues.readQueue(queue);
      if (!view.ok) return null;
      const ended = await queues.recentlyEnded(queue, endedShown);
      if (!isMember) return renderQueue(view.value, ended, now(), publicLinks);
      const lost = renderGivenUp(await givenUp.ofRepository(queue.repo, givenUpShown), now());
      return renderQueue(view.value, ended, now(), memberLinks(queue)) + lost;
    }
  };
  return fastifyPlugin(plugin, { name: "dashboard", encapsulate: true });
}

function addressOf(request: FastifyRequest): QueueAddress {
  const { host = "", owner = "", name = "", branch = "" } = request.params as Record<string, string>;
  return { repo: { host, owner, name }, branch };
}

function show(reply: FastifyReply, title: string, body: string, viewer?: Viewer | null): FastifyReply {
  return reply.type(page).send(renderPage(title, body, { canSignOut: viewer?.canSignOut ?? false }));
}

function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return show(reply.code(401), "Sign in", renderLogin(null, ownPath(request.url)));
}

function notFound(reply: FastifyReply, what = "queue"): FastifyReply {
  const body = `<main><section><p class="empty">There is no such ${what}.</p></section></main>`;
  return show(reply.code(404), "Not found", body);
}
