import fastifyCookie from "@fastify/cookie";
import fastifyFormbody from "@fastify/formbody";
import type { FastifyPluginAsync } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { serveQuarantineForm } from "../flaky/pages/quarantine-form.ts";
import { serveTestPages } from "../flaky/pages/test-pages.ts";
import { isCodeHostFailure } from "../service/workers/retry.ts";
import { serveAssets } from "./assets.ts";
import type { DashboardServices } from "./dashboard-services.ts";
import { renderUnknownRole } from "./home-page.ts";
import { serveAppPage } from "./routes/app-pages.ts";
import { serveAuditPages } from "./routes/audit-pages.ts";
import { serveCommandLineSignIn } from "./routes/command-line-sign-in.ts";
import { serveControls } from "./routes/control-routes.ts";
import { serveHealthPages } from "./routes/health-pages.ts";
import { serveHistoryPages } from "./routes/history-pages.ts";
import { serveOverview } from "./routes/overview-pages.ts";
import { serveOwnSignIns } from "./routes/own-sign-ins.ts";
import { servePublicPages } from "./routes/public-pages.ts";
import { servePullRequestPages } from "./routes/pull-request-pages.ts";
import { servePastPages, serveQueuePages } from "./routes/queue-pages.ts";
import { show } from "./routes/replies.ts";
import { serveSettingsPages } from "./routes/settings-pages.ts";
import { serveGitHubSignIn, serveSignIn } from "./routes/sign-in.ts";
import { serveTokenPages } from "./routes/token-pages.ts";
import { serveWebhookPages } from "./routes/webhook-pages.ts";
import { serveWhatIfPages } from "./routes/what-if-pages.ts";

/** Nothing is loaded from other origins, no inline script runs, and no site can frame the page. */
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  // Rejected: "no-referrer". With it, browsers also hide whether a form was sent from our own page.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

/** Server-rendered pages with the same views as the API. Server-sent events keep them up to date. */
export function dashboardPlugin(parts: DashboardServices): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    await app.register(fastifyCookie);
    await app.register(fastifyFormbody, { bodyLimit: 10_000 });
    app.addHook("onRequest", async (_request, reply) => {
      reply.headers(securityHeaders);
    });
    app.setErrorHandler((error, request, reply) => {
      if (!isCodeHostFailure(error)) throw error;
      request.log.warn({ code: "ROLE_UNKNOWN", err: error }, "GitHub did not tell what a visitor may see");
      return show(reply.code(503), "Not available", renderUnknownRole());
    });
    serveAssets(app);
    servePublicPages(app, parts);
    serveSignIn(app, parts);
    serveGitHubSignIn(app, parts);
    serveCommandLineSignIn(app, parts);
    serveOwnSignIns(app, parts);
    serveOverview(app, parts);
    serveHistoryPages(app, parts);
    serveHealthPages(app, parts);
    serveQueuePages(app, parts);
    servePastPages(app, parts);
    servePullRequestPages(app, parts);
    serveControls(app, parts);
    serveTestPages(app, parts);
    serveQuarantineForm(app, parts);
    serveAuditPages(app, parts);
    serveWebhookPages(app, parts);
    serveWhatIfPages(app, parts);
    serveSettingsPages(app, parts);
    serveTokenPages(app, parts);
    serveAppPage(app, parts);
  };
  return fastifyPlugin(plugin, { name: "dashboard", encapsulate: true });
}
