import type { FastifyInstance } from "fastify";
import { addVary } from "../compress-answer.ts";

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
