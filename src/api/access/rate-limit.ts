import type { FastifyRateLimitStore } from "@fastify/rate-limit";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import { counted as countedNoun } from "../../engine/reasons/sentence.ts";
import type { Principal } from "../../service/access/tokens.ts";
import { ProblemError } from "../problems/problem.ts";

const windowMs = 1_000;

/** Counts requests: adds one, and returns those of the current second. */
export type CountRequest = (key: string) => { readonly current: number; readonly ttl: number };

/**
 * Counts the requests of each organisation and of each person, and reports how many are left (`ratelimit-*`, IETF draft
 * "RateLimit header fields for HTTP"). Our own bot is not counted. Forks' runs are counted elsewhere. `perSecond` null: no
 * requests are counted.
 */
export async function countRequests(
  app: FastifyInstance,
  perSecond: number | null,
  count: CountRequest,
): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    max: perSecond ?? 0,
    timeWindow: windowMs,
    store: storeOf(count),
    // The organisation is known only once the token has been verified.
    hook: "preParsing",
    enableDraftSpec: true,
    keyGenerator: (request) => senderOf(request) ?? "",
    allowList: (request) => perSecond === null || senderOf(request) === null,
    errorResponseBuilder: ({ routeOptions: { config, url } }, { max }) =>
      new ProblemError({
        code: "RATE_LIMITED",
        detail: `You or your organisation send more than ${countedNoun(max, "request")} a second${hasOwnLimit(config) ? ` to ${url}` : ""}. Wait as long as retry-after says, then send this one again.`,
      }),
  });
}

interface ChildOptions {
  readonly routeInfo?: RouteOptions;
  readonly timeWindow?: number;
}

/** @param prefix separates the counts of routes with a limit of their own */
function storeOf(count: CountRequest, prefix = "") {
  return class implements FastifyRateLimitStore {
    incr(key: string, answer: Parameters<FastifyRateLimitStore["incr"]>[1]): void {
      answer(null, count(prefix + key));
    }

    /** The plugin passes the options of the limit, and the route as `routeInfo`, which its types do not say. */
    child({ routeInfo, timeWindow }: object & ChildOptions): FastifyRateLimitStore {
      // Other limits, such as those of forks, count for longer than a second.
      if (timeWindow !== windowMs) return new TimeWindows();
      return routeInfo && hasOwnLimit(routeInfo.config) ? new (storeOf(count, `${routeInfo.url} `))() : this;
    }
  };
}

function hasOwnLimit(config: RouteOptions["config"]): boolean {
  return config?.rateLimit !== undefined && config.rateLimit !== false && config.rateLimit.max !== undefined;
}

/** Scrapes are rare. They have a limit of their own, of a few per second. */
export const metricsCounted: Pick<RouteOptions, "config"> = {
  config: { rateLimit: { max: 5, timeWindow: windowMs } },
};

/** Makes a route count its requests, if requests are counted at all. */
export const counted: Pick<RouteOptions, "config"> = { config: { rateLimit: {} } };

/** Whose requests are counted together; null = they are not counted here. No organisation has a space in its name. */
function senderOf(request: FastifyRequest): string | null {
  const { kind, id, organisation } = request.getDecorator<Principal>("principal");
  return kind === "person" ? `person ${id}` : organisation || null;
}

type Answer = Parameters<FastifyRateLimitStore["incr"]>[1];

/** The maximum number of keys that are counted at once. The oldest is forgotten first. */
const mostKeys = 5_000;

/**
 * Counts in this process alone. The window of a key begins with its first request. Measured with a clock that cannot be set: a wall clock
 * that is set back by an hour would refuse requests for an hour.
 */
export class TimeWindows implements FastifyRateLimitStore {
  readonly #windows = new Map<string, { readonly endsAt: number; count: number }>();

  incr(key: string, answer: Answer, windowMs: number): void {
    const now = performance.now();
    let window = this.#windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + windowMs, count: 0 };
      this.#windows.delete(key);
      this.#windows.set(key, window);
      const [oldest] = this.#windows.keys();
      if (this.#windows.size > mostKeys && oldest !== undefined) this.#windows.delete(oldest);
    }
    window.count += 1;
    answer(null, { current: window.count, ttl: window.endsAt - now });
  }

  child(): FastifyRateLimitStore {
    return new TimeWindows();
  }
}
