import { randomBytes, timingSafeEqual } from "node:crypto";
import fastifyCookie from "@fastify/cookie";
import Fastify, { type FastifyRequest } from "fastify";
import { run } from "probot";
import { defaultTimeouts } from "../api/http-server.ts";
import type { Settings } from "../settings/settings.ts";
import { closeGently } from "./close-gently.ts";
import type { Log } from "./log.ts";
import type { RunningServer } from "./start-server.ts";

const cookie = "trainyard_setup";

/**
 * Probot's set-up flow, which creates a GitHub App and writes its credentials to `.env`. Probot itself lets in anybody who
 * reaches it, so it listens on the loopback only, behind a guard that wants the one-time token from the log. The same token,
 * in a cookie, proves that GitHub's redirect comes back to the browser that began.
 */
export async function startSetup(settings: Settings, log: Log): Promise<RunningServer> {
  const secret = randomBytes(24).toString("base64url");
  const probot = await startProbotSetup(settings, log);
  const { headersMs, requestMs, lookMs } = defaultTimeouts;
  const app = Fastify({
    bodyLimit: 100_000,
    requestTimeout: requestMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: lookMs },
  });
  await app.register(fastifyCookie);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  app.get("/healthz", () => ({ status: "setup" }));
  app.all("/*", async (request, reply) => {
    const { token } = request.query as { token?: string };
    if (token !== undefined && isSame(token, secret)) {
      reply.setCookie(cookie, secret, { httpOnly: true, sameSite: "lax", path: "/" });
      return reply.redirect("/probot", 303);
    }
    if (!isSame(request.cookies[cookie] ?? "", secret)) {
      return reply
        .code(403)
        .type("text/plain")
        .send(
          "Trainyard is not set up yet. Open the address that its log shows: it carries a one-time token.\n",
        );
    }
    const answer = await forward(request, probot.port);
    reply.code(answer.status).headers(answer.headers);
    return reply.send(answer.body);
  });

  const url = await app.listen({ host: settings.host, port: settings.port });
  log.info("There are no credentials of a GitHub App yet.");
  log.info(`To create the App, open ${url}/?token=${secret}`);
  log.info("Or set APP_ID, PRIVATE_KEY (or PRIVATE_KEY_PATH) and WEBHOOK_SECRET, and start again.");
  return {
    url,
    async close() {
      await closeGently(app);
      await probot.stop();
    },
  };
}

async function startProbotSetup({ publicUrl, webhookPath, port }: Settings, log: Log) {
  // Probot would otherwise ask smee.io for a channel at once; a proxy address given to it becomes the App's webhook address.
  process.env.NO_SMEE_SETUP = "true";
  process.env.WEBHOOK_PROXY_URL ??= `${publicUrl ?? `http://localhost:${port}`}${webhookPath}`;
  return run(() => {}, {
    env: { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "silent" },
    log: log.child({}, { level: "warn" }),
  });
}

/** Passes a request on to Probot, which derives the addresses in the App's manifest from the host that was asked. */
async function forward(request: FastifyRequest, port: number) {
  const body = Buffer.isBuffer(request.body) ? new Uint8Array(request.body) : undefined;
  const response = await fetch(`http://127.0.0.1:${port}${request.url}`, {
    method: request.method,
    redirect: "manual",
    headers: {
      "x-forwarded-host": request.headers.host ?? "",
      ...(request.headers["content-type"] ? { "content-type": request.headers["content-type"] } : {}),
    },
    ...(body ? { body } : {}),
  });
  const headers: Record<string, string> = {};
  for (const name of ["content-type", "location"]) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) };
}

function isSame(given: string, secret: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(secret);
  return a.length === b.length && timingSafeEqual(a, b);
}
