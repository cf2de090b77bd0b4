import { GraphqlResponseError } from "@octokit/graphql";
import { RequestError } from "@octokit/request-error";
import type { Octokit } from "@octokit/rest";
import type { CallLimitStore, CallLimits } from "../../ports/code-host/app.ts";
import { CodeHostError, toCodeHostError } from "./code-host-error.ts";
import {
  type ContentBudget,
  type ContentPermit,
  noLimits,
  takeContent,
  unlimited,
} from "./content-budget.ts";

/**
 * The REST calls that create content, according to GitHub's description of them ("Creating content too quickly using this endpoint
 * may result in secondary rate limiting"). Merges have priority: a late merge delays everybody.
 */
const contentCalls = [
  { method: "PUT", path: /\/pulls\/\d+\/merge(-async)?$/, isUrgent: true },
  { method: "POST", path: /\/issues$/, isUrgent: false },
  { method: "POST", path: /\/issues\/\d+\/comments$/, isUrgent: false },
  { method: "POST", path: /\/pulls$/, isUrgent: false },
] as const;

/** The message about content that has to wait because of GitHub's limits. */
export const overBudget = "GitHub permits only so many comments and merges a minute and an hour";

/** The maximum time for which changes by another process may remain unnoticed. */
const staleMs = 1_000;
/** How far the clocks of two processes may differ. */
const clockErrorMs = 50;

/**
 * Keeps calls within GitHub's limits. Once GitHub limits a call, no process sends another call of that installation until GitHub
 * permits calls again: continuing "may result in the banning of your integration".
 * https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
export class CallLimiter {
  readonly #store: CallLimitStore;
  readonly #budget: ContentBudget | null;
  readonly #now: () => number;
  readonly #known = new Map<number, { readAt: number; limits: CallLimits }>();

  /**
   *
   *
   * @param budget null: content is not limited, as on GitHub Enterprise Server
   *
   * @param now the time, which must be the same in all processes that share the store. Default: this machine's.
   */
  constructor(store: CallLimitStore, budget: ContentBudget | null, now: () => number = Date.now) {
    this.#now = now;
    this.#store = store;
    this.#budget = budget;
  }

  /**
   * Refuses a client's calls with `rate_limited` while GitHub accepts none and when the content budget is used up, and records the
   * limits that GitHub's responses state. A refused call was not sent.
   */
  guard(client: Octokit, installationId: number): void {
    client.hook.wrap("request", async (request, options) => {
      const { pathname } = new URL(client.request.endpoint(options).url);
      const isGraphql = pathname.endsWith("/graphql");
      await this.#refuseWhileStopped(installationId, isGraphql);
      const content = contentCalls.find(
        ({ method, path }) => method === options.method && path.test(pathname),
      );
      if (content) await this.#refuseBeyondBudget(installationId, content.isUrgent);
      try {
        const response = await request(options);
        const failure = isGraphql ? failureOfAnswer(response) : null;
        if (failure) throw failure;
        return response;
      } catch (thrown) {
        const error = refusalWithin(thrown) ?? thrown;
        const limit = refusalWithin(thrown) ? null : limitOf(error);
        if (limit) await this.#stop(installationId, limit);
        throw error;
      }
    });
  }

  /**
   * A `fetch` that checks the limits again right before it sends: a request that had to wait for a token may have passed `guard`
   * before the limit was reached. Calls for the App itself, such as for that token, are not limited.
   */
  fetchFor(installationId: number): typeof fetch {
    return (input, init) => {
      const { pathname } = new URL(String(input));
      if (!pathname.endsWith("/access_tokens"))
        this.#refuse(this.#known.get(installationId)?.limits ?? noLimits, pathname.endsWith("/graphql"));
      return fetch(input, init);
    };
  }

  async take(installationId: number, isUrgent: boolean): Promise<ContentPermit> {
    const budget = this.#budget;
    let leave: ContentPermit = unlimited;
    if (!budget) return leave;
    await this.#update(installationId, (known) => {
      const { limits, ...taken } = takeContent(known, budget, this.#now(), isUrgent);
      leave = taken;
      return limits;
    });
    return leave;
  }

  async #refuseWhileStopped(installationId: number, isGraphql: boolean): Promise<void> {
    this.#refuse(await this.#limits(installationId), isGraphql);
  }

  async #refuseBeyondBudget(installationId: number, isUrgent: boolean): Promise<void> {
    const { waitMs } = await this.take(installationId, isUrgent);
    if (waitMs > 0) throw new CodeHostError("rate_limited", overBudget, waitMs);
  }

  async #stop(installationId: number, { of, waitMs }: RateLimit): Promise<void> {
    const until = this.#now() + waitMs + clockErrorMs;
    const stop = (known: CallLimits): CallLimits => ({
      ...known,
      restStoppedUntil: of === "graphql" ? known.restStoppedUntil : Math.max(known.restStoppedUntil, until),
      graphqlStoppedUntil:
        of === "rest" ? known.graphqlStoppedUntil : Math.max(known.graphqlStoppedUntil, until),
    });
    // This process must not send anything while the limit is being stored.
    this.#note(installationId, stop(this.#known.get(installationId)?.limits ?? noLimits));
    await this.#update(installationId, stop);
  }

  async #limits(installationId: number): Promise<CallLimits> {
    const known = this.#known.get(installationId);
    if (known && performance.now() - known.readAt < staleMs) return known.limits;
    return this.#note(installationId, (await this.#store.get(installationId)) ?? noLimits);
  }

  async #update(installationId: number, change: (known: CallLimits) => CallLimits): Promise<void> {
    this.#note(
      installationId,
      await this.#store.update(installationId, (known) => change(known ?? noLimits)),
    );
  }

  #refuse({ restStoppedUntil, graphqlStoppedUntil }: CallLimits, isGraphql: boolean): void {
    const waitMs = (isGraphql ? graphqlStoppedUntil : restStoppedUntil) - this.#now();
    if (waitMs <= 0) return;
    const message = `GitHub limits this installation's calls, and permits them again in ${Math.ceil(waitMs / 1000)} s`;
    throw new CodeHostError("rate_limited", message, waitMs);
  }

  /** The stored limits may be older than a limit that this process has met meanwhile. So the later of two stops applies. */
  #note(installationId: number, read: CallLimits): CallLimits {
    const known = this.#known.get(installationId)?.limits ?? noLimits;
    const limits = {
      ...read,
      restStoppedUntil: Math.max(read.restStoppedUntil, known.restStoppedUntil),
      graphqlStoppedUntil: Math.max(read.graphqlStoppedUntil, known.graphqlStoppedUntil),
    };
    this.#known.set(installationId, { readAt: performance.now(), limits });
    return limits;
  }
}

/** Octokit wraps the errors that `fetch` throws. */
function refusalWithin(error: unknown): CodeHostError | null {
  return error instanceof Error && error.cause instanceof CodeHostError ? error.cause : null;
}

/** A time in which GitHub accepts no calls. */
export interface RateLimit {
  /** A primary limit counts REST or GraphQL calls; a secondary limit applies to all of them. */
  readonly of: "all" | "rest" | "graphql";
  readonly waitMs: number;
}

type Headers = Readonly<Record<string, string | number | undefined>>;

const usualWaitMs = 60_000;

/** The limit that a failed request has reached; null: none. */
export function limitOf(error: unknown): RateLimit | null {
  const failure = toCodeHostError(error);
  if (!(failure instanceof CodeHostError) || failure.kind !== "rate_limited") return null;
  return { of: scopeOf(headersOf(failure.cause)), waitMs: failure.retryAfterMs ?? usualWaitMs };
}

/** GraphQL answers 200 even when a limit is reached. Returns the error that REST's status would cause; null: no limit is reached. */
export function failureOfAnswer(response: { data: unknown; headers: Headers }): CodeHostError | null {
  const { errors } = (response.data ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return null;
  const limits = errors.filter((error) => error?.type === "RATE_LIMITED");
  if (limits.length === 0) return null;
  const data = { data: null, errors: limits } as never;
  const request = { method: "POST", url: "/graphql", headers: {}, query: "" } as const;
  return toCodeHostError(new GraphqlResponseError(request, response.headers as never, data)) as CodeHostError;
}

function headersOf(cause: unknown): Headers {
  if (cause instanceof RequestError) return cause.response?.headers ?? {};
  return cause instanceof GraphqlResponseError ? (cause.headers as Headers) : {};
}

function scopeOf(headers: Headers): RateLimit["of"] {
  const isPrimary = headers["retry-after"] === undefined && String(headers["x-ratelimit-remaining"]) === "0";
  if (!isPrimary) return "all";
  return headers["x-ratelimit-resource"] === "graphql" ? "graphql" : "rest";
}

/** Limits that one process keeps in memory. */
export class MemoryCallLimits implements CallLimitStore {
  readonly #limits = new Map<number, CallLimits>();

  async get(installationId: number): Promise<CallLimits | null> {
    return this.#limits.get(installationId) ?? null;
  }

  async update(
    installationId: number,
    change: (known: CallLimits | null) => CallLimits,
  ): Promise<CallLimits> {
    const limits = change(this.#limits.get(installationId) ?? null);
    this.#limits.set(installationId, limits);
    return limits;
  }
}
