import { randomUUID } from "node:crypto";
import { type FastifyBaseLogger, type FastifyInstance, fastify } from "fastify";
import { shareAcrossOrigins } from "./cross-origin.ts";
import { handleClientError } from "./handle-client-error.ts";
import { handleError } from "./handle-error.ts";
import { handleUnknownPath } from "./handle-unknown-path.ts";
import { ProblemError } from "./problem.ts";
import { keepingSecrets, RequestLog } from "./request-log.ts";

export interface HttpServerOptions {
  /** A pino logger. */
  readonly log: FastifyBaseLogger;
  /** Makes request ids; those that clients send are not believed. */
  readonly newRequestId?: () => string;
  /** Addresses of proxies whose `x-forwarded-*` headers are believed. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** How slowly a request may come. Default: {@link defaultTimeouts}. */
  readonly timeouts?: RequestTimeouts;
  /** Origins whose pages may call the API; `*` = all. Default: none. */
  readonly corsOrigins?: readonly string[];
}

export interface RequestTimeouts {
  /** Until all headers are there. A connection that says nothing is closed as well. */
  readonly headersMs: number;
  /** Until the whole request is there. */
  readonly requestMs: number;
  /** How often it is looked for connections that take longer, which is how much longer they may take. */
  readonly lookMs: number;
}

/** Who sends headers slowly is gone within 30 s. A body of 20 MiB may come slowly, but not for ever. */
export const defaultTimeouts: RequestTimeouts = { headersMs: 20_000, requestMs: 120_000, lookMs: 5_000 };

const shutdownRetrySeconds = 5;

/**
 * The HTTP server that the API, the webhook and the dashboard share. It reads no bodies by itself: every plugin says which
 * ones it accepts. What goes wrong is answered as `application/problem+json`.
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
    frameworkErrors: handleError,
    clientErrorHandler: (error, socket) => handleClientError(error, socket, newRequestId),
  });
  server.removeAllContentTypeParsers();
  server.setErrorHandler(handleError);
  server.setNotFoundHandler(handleUnknownPath);
  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  shareAcrossOrigins(server, corsOrigins);
  refuseWhileClosing(server);
  return server;
}

/** Requests that are under way are finished; new ones on connections that are still open are sent elsewhere. */
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
