import { once } from "node:events";
import fastifyCookie from "@fastify/cookie";
import fastifyFormbody from "@fastify/formbody";
import Fastify, { type FastifyReply } from "fastify";
import { defaultTimeouts } from "../../api/http-server.ts";
import { serveAssets } from "../../dashboard/assets.ts";
import type { Settings } from "../../settings/settings.ts";
import type { AppManifest } from "../app-manifest.ts";
import { closeGently } from "../close-gently.ts";
import type { Log } from "../log.ts";
import type { RunningServer } from "../start-server.ts";
import { readAskedOrigin } from "./public-address.ts";
import { SetupGuard } from "./setup-guard.ts";
import { renderFailure, renderRefusal, setupPath } from "./setup-page.ts";

import { setupRoutes } from "./setup-routes.ts";

const cookie = "trainyard_setup";
/** The time in which the browser loads the last page and its style. Afterwards the service answers for that page. */
const farewellMs = 2_000;

/** No `form-action`, because browsers apply it to redirects, too, and GitHub may redirect to a sign-in page elsewhere. */
const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

interface SetupServer extends Omit<RunningServer, "replaced"> {
  /** Resolves when the App's credentials are saved and the browser had time to load the last page, or when `stop` aborts. */
  untilDone(stop: AbortSignal): Promise<void>;
}

/** Serves the pages on which an App is created, or an existing one is entered. Its credentials are written to `.env`. */
export async function startSetup(
  settings: Settings,
  manifest: AppManifest,
  webhook: string,
  log: Log,
): Promise<SetupServer> {
  const guard = new SetupGuard(Date.now());
  const { headersMs, requestMs, lookMs } = defaultTimeouts;
  const app = Fastify({
    bodyLimit: 100_000,
    requestTimeout: requestMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: lookMs },
  });
  const done = new AbortController();
  let farewell: NodeJS.Timeout | undefined;
  await app.register(fastifyCookie);
  await app.register(fastifyFormbody, { bodyLimit: 100_000 });
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(headers);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, "the set-up failed");
    return show(reply.code(status), renderFailure(status));
  });

  serveAssets(app);
  app.get("/healthz", () => ({ status: "setup" }));
  await app.register(async (guarded) => {
    guarded.addHook("onRequest", async (request, reply) => {
      const { token } = request.query as { token?: unknown };
      if (request.method === "GET" && token !== undefined) {
        const begun = guard.begin(String(token), Date.now());
        if ("code" in begun) return show(reply.code(403), renderRefusal(begun.code));
        const secure = readAskedOrigin(request.headers, settings.publicUrl).startsWith("https:");
        reply.setCookie(cookie, begun.session, { httpOnly: true, sameSite: "lax", secure, path: "/" });
        return reply.redirect(setupPath, 303);
      }
      const refusal = guard.refusalOf(request.cookies[cookie] ?? "", Date.now());
      if (refusal?.code === "SETUP_DONE") farewell?.refresh();
      const isLastPage = request.routeOptions.config.isLastPage === true;
      if (refusal && !(refusal.code === "SETUP_DONE" && isLastPage))
        return show(reply.code(403), renderRefusal(refusal.code));
    });
    const finish = () => {
      guard.finish();
      farewell = setTimeout(() => done.abort(), farewellMs);
    };
    await guarded.register(setupRoutes({ settings, manifest, webhook, guard, finish, log }));
  });

  const url = await app.listen({ host: settings.host, port: settings.port });
  log.info("There are no credentials of a GitHub App yet.");
  const here = `${url}/?token=${guard.token}`;
  const everywhere =
    settings.publicUrl === null ? "" : ` From elsewhere: ${settings.publicUrl}/?token=${guard.token}.`;
  log.info(`To create the App, open ${here} within an hour; it works once.${everywhere}`);
  log.info("Or set APP_ID, PRIVATE_KEY (or PRIVATE_KEY_PATH) and WEBHOOK_SECRET, and start again.");
  return {
    url,
    async untilDone(stop) {
      const either = AbortSignal.any([stop, done.signal]);
      if (!either.aborted) await once(either, "abort");
    },
    async close() {
      clearTimeout(farewell);
      await closeGently(app);
    },
  };
}

function show(reply: FastifyReply, page: string): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(page);
}
