import fastifyCookie from "@fastify/cookie";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { run } from "probot";
import { defaultTimeouts } from "../api/http-server.ts";
import type { Settings } from "../settings/settings.ts";
import type { AppManifest } from "./app-manifest.ts";
import { readAskedOrigin } from "./asked-origin.ts";
import { closeGently } from "./close-gently.ts";
import { type CreatedApp, convertManifest } from "./convert-manifest.ts";
import { freePort } from "./free-port.ts";
import type { Log } from "./log.ts";
import { protectFile } from "./protect-file.ts";
import { type AddressProblem, checkWebhookAddress, type WebhookAddress } from "./public-address.ts";
import { SetupGuard, type SetupRefusal } from "./setup-guard.ts";
import { renderAddressPage, renderSetupPage } from "./setup-page.ts";
import type { RunningServer } from "./start-server.ts";

const cookie = "trainyard_setup";

/** A stricter policy would break Probot's pages: they load their own style, and one has an inline script. */
const headers = {
  "cache-control": "no-store",
  "content-security-policy": "frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

const texts: Record<SetupRefusal, string> = {
  SETUP_TOKEN_NEEDED:
    "Trainyard is not set up yet. Open the address that its log shows: it contains a one-time token.",
  SETUP_TOKEN_USED:
    "The one-time token has been used. Continue in the browser that used it. If that was not yours, start Trainyard again.",
  SETUP_STATE_MISMATCH:
    "This App was not created from the set-up page that is open, so it was not saved. Open /probot and create the App there.",
  SETUP_EXPIRED:
    "The set-up was open for an hour. Start Trainyard again, and open the address that its log shows.",
  SETUP_DONE: "The credentials are in .env, and the set-up is over. Start Trainyard again.",
};

/**
 * Serves the page that creates a GitHub App, and behind it Probot's set-up flow, which writes the App's credentials to
 * `.env`. Probot itself admits anybody who reaches it, so it listens on the loopback only, behind a guard.
 */
export async function startSetup(
  settings: Settings,
  manifest: AppManifest,
  log: Log,
): Promise<RunningServer> {
  const guard = new SetupGuard(Date.now());
  const webhook = webhookAddress(settings);
  const probot = await startProbotSetup("url" in webhook ? webhook.url : "", log);
  const { headersMs, requestMs, lookMs } = defaultTimeouts;
  const app = Fastify({
    bodyLimit: 100_000,
    requestTimeout: requestMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: lookMs },
  });
  await app.register(fastifyCookie);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(headers);
  });

  app.get("/healthz", () => ({ status: "setup" }));
  app.all("/*", async (request, reply) => {
    const { token, state, code } = request.query as Record<"token" | "state" | "code", unknown>;
    const target = new URL(`http://127.0.0.1:${probot.port}${request.url}`);
    const step = stepOf(request.method, target);
    const page = readAskedOrigin(request.headers, settings.publicUrl);
    if (request.method === "GET" && token !== undefined) {
      const begun = guard.begin(String(token), Date.now());
      if ("code" in begun) return refuse(reply, begun.code);
      reply.setCookie(cookie, begun.session, {
        httpOnly: true,
        sameSite: "lax",
        secure: page.startsWith("https:"),
        path: "/",
      });
      return reply.redirect("/probot", 303);
    }
    const refusal = guard.refusalOf(request.cookies[cookie] ?? "", Date.now());
    if (refusal && !(refusal.code === "SETUP_DONE" && step === "farewell"))
      return refuse(reply, refusal.code);
    if (step === "callback" && !guard.takeState(String(state ?? "")))
      return refuse(reply, "SETUP_STATE_MISMATCH");
    if (step === "page") {
      reply.type("text/html; charset=utf-8");
      if ("problem" in webhook) return reply.code(409).send(renderAddressPage(webhook));
      const createApp = creationAddress(settings);
      const links = { webhook: webhook.url, page, createApp, state: guard.issueState() };
      return reply.send(renderSetupPage(manifest, links));
    }
    if (step === "callback" || step === "import") protectFile(".env");
    if (step === "callback") {
      const app = await convertManifest(settings.github, String(code ?? ""), log);
      if ("refused" in app) return refuseCode(reply, app.refused);
      await saveCredentials(target.origin, app);
      guard.finish();
      return reply.redirect(app.installUrl);
    }
    const answer = await forward(request, target);
    if (step === "import" && answer.status === 200) guard.finish();
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  });

  const url = await app.listen({ host: settings.host, port: settings.port });
  log.info("There are no credentials of a GitHub App yet.");
  if ("problem" in webhook) log.warn({ code: webhook.code }, webhook.problem);
  log.info(`To create the App, open ${url}/?token=${guard.token} within an hour; it works once.`);
  log.info("Or set APP_ID, PRIVATE_KEY (or PRIVATE_KEY_PATH) and WEBHOOK_SECRET, and start again.");
  return {
    url,
    async close() {
      await closeGently(app);
      await probot.stop();
    },
  };
}

/** Prefers `WEBHOOK_PROXY_URL`, a relay that forwards webhooks to this service, over the service's own address. */
function webhookAddress({ publicUrl, webhookPath, github }: Settings): WebhookAddress | AddressProblem {
  const { WEBHOOK_PROXY_URL: channel } = process.env;
  const own = publicUrl === null ? null : { variable: "TRAINYARD_PUBLIC_URL", url: publicUrl + webhookPath };
  return checkWebhookAddress(channel ? { variable: "WEBHOOK_PROXY_URL", url: channel } : own, github.host);
}

function creationAddress({ github }: Settings): string {
  const { GH_ORG } = process.env;
  const owner = GH_ORG ? `/organizations/${encodeURIComponent(GH_ORG)}` : "";
  return `${github.webUrl}${owner}/settings/apps/new`;
}

async function startProbotSetup(webhook: string, log: Log) {
  // Without this, Probot opens a channel at smee.io when it starts. Its credentials page shows the address given below.
  process.env.NO_SMEE_SETUP = "true";
  process.env.WEBHOOK_PROXY_URL = webhook;
  // Probot treats 0 as 3000, which is our own port.
  const ownPort = String(await freePort());
  return run(() => {}, {
    env: { HOST: "127.0.0.1", PORT: ownPort, LOG_LEVEL: "silent" },
    log: log.child({}, { level: "warn" }),
  });
}

/** Returns the step of Probot's flow that a request belongs to; null for its other paths. */
function stepOf(method: string, { pathname }: URL): "page" | "callback" | "import" | "farewell" | null {
  if (pathname === "/probot") return "page";
  if (pathname === "/probot/setup") return "callback";
  if (pathname === "/probot/import" && method === "POST") return "import";
  return pathname === "/probot/success" || pathname.startsWith("/probot/static/") ? "farewell" : null;
}

function refuse(reply: FastifyReply, code: SetupRefusal): FastifyReply {
  return reply.code(403).type("text/plain").send(`${texts[code]} (${code})\n`);
}

function refuseCode(reply: FastifyReply, why: string): FastifyReply {
  const text = `GitHub did not answer the App's credentials: ${why}. Open /probot and create the App again, or enter its credentials by hand.`;
  return reply.code(502).type("text/plain").send(`${text} (SETUP_CODE_REFUSED)\n`);
}

/**
 * Lets Probot write `.env`. Probot would exchange the code itself, but without a REST version, and at a wrong address for
 * ghe.com.
 */
async function saveCredentials(probot: string, { id, privateKey, webhookSecret }: CreatedApp): Promise<void> {
  const { status } = await fetch(`${probot}/probot/import`, {
    method: "POST",
    body: JSON.stringify({ appId: String(id), pem: privateKey, webhook_secret: webhookSecret }),
  });
  if (status !== 200) throw new Error(`Probot did not save the App's credentials (${status})`);
}

/** Passes a request on to Probot. */
async function forward(request: FastifyRequest, target: URL) {
  const body = Buffer.isBuffer(request.body) ? new Uint8Array(request.body) : undefined;
  const response = await fetch(target, {
    method: request.method,
    redirect: "manual",
    headers: request.headers["content-type"] ? { "content-type": request.headers["content-type"] } : {},
    ...(body ? { body } : {}),
  });
  const headers: Record<string, string> = {};
  for (const name of ["content-type", "location"]) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) };
}
