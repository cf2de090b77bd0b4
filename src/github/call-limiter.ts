import type { Octokit } from "@octokit/rest";
import type { CallLimitStore, CallLimits } from "../ports/call-limits.ts";
import { CodeHostError } from "./code-host-error.ts";
import { type ContentBudget, noLimits, takeContent } from "./content-budget.ts";
import { failureOfAnswer, limitOf, type RateLimit } from "./rate-limit.ts";

/**
 * The REST calls that create content, by GitHub's description of them ("Creating content too quickly using this endpoint may result in
 * secondary rate limiting"). Merges go first: what is merged late holds up everybody.
 */
const contentCalls = [
  { method: "PUT", path: /\/pulls\/\d+\/merge(-async)?$/, isUrgent: true },
  { method: "POST", path: /\/issues$/, isUrgent: false },
  { method: "POST", path: /\/issues\/\d+\/comments$/, isUrgent: false },
  { method: "POST", path: /\/pulls$/, isUrgent: false },
] as const;

/** Said of content that is written later so as to keep to GitHub's limits. */
export const overBudget = "GitHub permits only so many comments and merges a minute and an hour";

/** How long what another process has noted may go unseen. */
const staleMs = 1_000;

/**
 * Keeps to GitHub's limits. Once GitHub limits a call, no process sends another one of that installation until it permits them
 * again: to go on "may result in the banning of your integration".
 * https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
export class CallLimiter {
  readonly #store: CallLimitStore;
  readonly #budget: ContentBudget | null;
  readonly #known = new Map<number, { readAt: number; limits: CallLimits }>();

  /** @param budget null: contents are not limited, as on GitHub Enterprise Server */
  constructor(store: CallLimitStore, budget: ContentBudget | null) {
    this.#store = store;
    this.#budget = budget;
  }

  /**
   * Refuses calls of a client with `rate_limited` while GitHub wants none and when the budget of content is used up, and takes note of
   * limits in GitHub's answers. What is refused was not sent.
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
   * Sends a request at the last moment: one that had to wait for a token may have passed `guard` before the limit was met. What is asked
   * for the App itself, such as that token, is not limited.
   */
  fetchFor(installationId: number): typeof fetch {
    return (input, init) => {
      const { pathname } = new URL(String(input));
      if (!pathname.endsWith("/access_tokens"))
        refuse(this.#known.get(installationId)?.limits ?? noLimits, pathname.endsWith("/graphql"));
      return fetch(input, init);
    };
  }

  /** Takes one content from the budget: 0 when it may be created, else the milliseconds after which to ask again. */
  async take(installationId: number, isUrgent: boolean): Promise<number> {
    const budget = this.#budget;
    if (!budget) return 0;
    let waitMs = 0;
    await this.#update(installationId, (known) => {
      const taken = takeContent(known, budget, Date.now(), isUrgent);
      waitMs = taken.waitMs;
      return taken.limits;
    });
    return waitMs;
  }

  async #refuseWhileStopped(installationId: number, isGraphql: boolean): Promise<void> {
    refuse(await this.#limits(installationId), isGraphql);
  }

  async #refuseBeyondBudget(installationId: number, isUrgent: boolean): Promise<void> {
    const waitMs = await this.take(installationId, isUrgent);
    if (waitMs > 0) throw new CodeHostError("rate_limited", overBudget, waitMs);
  }

  async #stop(installationId: number, { of, waitMs }: RateLimit): Promise<void> {
    const until = Date.now() + waitMs;
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
    if (known && Date.now() - known.readAt < staleMs) return known.limits;
    return this.#note(installationId, (await this.#store.get(installationId)) ?? noLimits);
  }

  async #update(installationId: number, change: (known: CallLimits) => CallLimits): Promise<void> {
    this.#note(
      installationId,
      await this.#store.update(installationId, (known) => change(known ?? noLimits)),
    );
  }

  /** What was read may be older than a limit that was met meanwhile: of two stops the later holds. */
  #note(installationId: number, read: CallLimits): CallLimits {
    const known = this.#known.get(installationId)?.limits ?? noLimits;
    const limits = {
      ...read,
      restStoppedUntil: Math.max(read.restStoppedUntil, known.restStoppedUntil),
      graphqlStoppedUntil: Math.max(read.graphqlStoppedUntil, known.graphqlStoppedUntil),
    };
    this.#known.set(installationId, { readAt: Date.now(), limits });
    return limits;
  }
}

function refuse({ restStoppedUntil, graphqlStoppedUntil }: CallLimits, isGraphql: boolean): void {
  const waitMs = (isGraphql ? graphqlStoppedUntil : restStoppedUntil) - Date.now();
  if (waitMs <= 0) return;
  const message = `GitHub limits this installation's calls, and permits them again in ${Math.ceil(waitMs / 1000)} s`;
  throw new CodeHostError("rate_limited", message, waitMs);
}

/** Octokit wraps what `fetch` throws. */
function refusalWithin(error: unknown): CodeHostError | null {
  return error instanceof Error && error.cause instanceof CodeHostError ? error.cause : null;
}
