import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import type { Principal } from "../service/token-service.ts";
import { ProblemError } from "./problem.ts";

const windowMs = 1_000;

/**
 * Counts the requests of each organisation, in this process, and tells it how many are left (`ratelimit-*`, IETF draft
 * "RateLimit header fields for HTTP"). Our own bot is not counted, and runs of forks are elsewhere. Null: nobody is.
 */
export async function countRequests(app: FastifyInstance, perSecond: number | null): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    max: perSecond ?? 0,
    timeWindow: windowMs,
    // Who asks is known only once the token has been looked at.
    hook: "preParsing",
    enableDraftSpec: true,
    keyGenerator: (request) => organisationOf(request) ?? "",
    allowList: (request) => perSecond === null || organisationOf(request) === null,
    errorResponseBuilder: () =>
      new ProblemError({
        code: "RATE_LIMITED",
        detail: `Your organisation sends more than ${perSecond} requests a second. Wait as long as retry-after says, then send this one again.`,
      }),
  });
}

/** Scrapes are rare; a few a second are counted apart. */
export const metricsCounted: Pick<RouteOptions, "config"> = {
  config: { rateLimit: { max: 5, timeWindow: windowMs } },
};

/** Has a route counted, where requests are counted at all. */
export const counted: Pick<RouteOptions, "config"> = { config: { rateLimit: {} } };

function organisationOf(request: FastifyRequest): string | null {
  return request.getDecorator<Principal>("principal").organisation || null;
}
