import { randomUUID } from "node:crypto";
import { type FastifyBaseLogger, type FastifyInstance, fastify } from "fastify";
import { handleClientError, handleError, handleUnknownPath } from "./problems/handle-error.ts";
import { ProblemError } from "./problems/problem.ts";
import { keepingSecrets, RequestLog } from "./request-log.ts";
import { addVary, compressAnswer } from "./send-answer.ts";

export interface HttpServerOptions {
  /** A pino logger. */
  readonly log: FastifyBaseLogger;
  /** Makes request ids. Ids that clients send are ignored. */
  readonly newRequestId?: () => string;
  /** Addresses of proxies whose `x-forwarded-*` headers are trusted. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Limits for slow requests. Default: {@link defaultTimeouts}. */
  readonly timeouts?: RequestTimeouts;
  /** Origins whose pages may call the API; `*` = all. Default: none. */
  readonly corsOrigins?: readonly string[];
}

export interface RequestTimeouts {
  /** Maximum time until all headers are there. An idle connection is closed as well. */
  readonly headersMs: number;
  /** Maximum time until the whole request is there. */
  readonly requestMs: number;
  /** Interval of the check for slow connections. A connection may exceed its limit by this time. */
  readonly lookMs: number;
}

/** A sender of slow headers is disconnected within 30 s. A body of 20 MiB may come slowly, but within two minutes. */
export const defaultTimeouts: RequestTimeouts = { headersMs: 20_000, requestMs: 120_000, lookMs: 5_000 };

const shutdownRetrySeconds = 5;

/**
 * The HTTP server that the API, the webhook and the dashboard share. It accepts no bodies by itself: every plugin registers
 * its own types. Errors are answered as `application/problem+json`, and long answers are compressed.
 */
export function createHttpServer({
  log,
  newRequestId = randomUUID,
  trustedProxies = [],
  timeouts = defaultTimeouts,
  corsOrigins = [],
}: HttpServerOptions): FastifyInstance {
  const server = fastify({
    loggerInstance: keepingSecrets(log),
    logController: new RequestLog({ requestIdLogLabel: "requestId" }),
    genReqId: () => newRequestId(),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    requestTimeout: timeouts.requestMs,
    http: { headersTimeout: timeouts.headersMs, connectionsCheckingInterval: timeouts.lookMs },
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    frameworkErrors: handleError,
    clientErrorHandler: (error, socket) => handleClientError(error, socket, newRequestId),
  });
  server.removeAllContentTypeParsers();
  server.setErrorHandler(handleError);
  server.setNotFoundHandler(handleUnknownPath);
  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  // Hazard: if a compressed page contained both its query and a form's token, its size would reveal the token. So no page contains both.
  server.addHook("onSend", compressAnswer);
  shareAcrossOrigins(server, corsOrigins);
  refuseWhileClosing(server);
  return server;
}

/** Endpoints validate with zod. Fastify would load its own validator and serializer at each start, which takes 70 ms and 3 MB. */
function refuseSchemas(): never {
  throw new Error("Routes have no JSON schemas.");
}

/** Requests in flight are finished. New requests on open connections get 503, so that clients go elsewhere. */
function refuseWhileClosing(server: FastifyInstance): void {
  let closing = false;
  server.addHook("preClose", async () => {
    closing = true;
  });
  server.addHook("onRequest", async () => {
    if (!closing) return;
    throw new ProblemError({
      code: "SHUTTING_DOWN",
      detail: "This server is shutting down. Try again in a few seconds.",
      headers: { "retry-after": String(shutdownRetrySeconds) },
    });
  });
}

const methods = "GET, POST";
const requestHeaders = "authorization, content-type, content-encoding, idempotency-key, x-api-token";
const answerHeaders =
  "ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, www-authenticate, x-request-id";
/** How long browsers may remember these rules. */
const maxAgeSeconds = 600;

/**
 * Lets pages of other origins call the API. By default, browsers hide the answers from them. The dashboard is not shared,
 * because it identifies people by their cookie. `origins`: as browsers send them, or `*` for all.
 */
export function shareAcrossOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.addHook("onRequest", async (request, reply) => {
    const { origin, "access-control-request-method": asked } = request.headers;
    if (!isApi(request.url)) return;
    addVary(reply, "origin");
    if (origin === undefined || !(origins.includes("*") || origins.includes(origin))) return;
    reply.header("access-control-allow-origin", origin);
    reply.header("access-control-expose-headers", answerHeaders);
    if (request.method !== "OPTIONS" || asked === undefined) return;
    return reply
      .code(204)
      .header("access-control-allow-methods", methods)
      .header("access-control-allow-headers", requestHeaders)
      .header("access-control-max-age", maxAgeSeconds)
      .send();
  });
}

function isApi(url: string): boolean {
  const [path = ""] = url.split("?");
  return path.startsWith("/v1/") || path === "/openapi.json";
}
