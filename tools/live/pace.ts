import { setTimeout as sleep } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import { failureOfAnswer, limitOf } from "../../src/github/client/call-limiter.ts";

/** How often a request is retried after GitHub's limits refused it. */
const maxRefusals = 3;

/**
 * Makes requests one at a time. Pauses between requests that change something, and waits while GitHub's limits are exceeded.
 * GitHub did not execute a request that its limits refused, so such a request is retried.
 * https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
export class Pace {
  readonly #pauseMs: number;
  readonly #tell: (line: string) => void;
  #stop: AbortSignal | null;
  #last: Promise<unknown> = Promise.resolve();
  #nextChangeAt = 0;
  #closedUntil = 0;

  /**
   * @param pauseMs pause between requests that change something
   * @param stop ends the waiting, and rejects later requests with its reason
   */
  constructor(pauseMs: number, stop: AbortSignal, tell: (line: string) => void) {
    this.#pauseMs = pauseMs;
    this.#stop = stop;
    this.#tell = tell;
  }

  /** Allows requests after the stop, because the created objects must be deleted. */
  goOnAfterStop(): void {
    this.#stop = null;
  }

  guard(client: Octokit): void {
    client.hook.wrap("request", (request, options) => {
      // The client requests a token during another request, so serializing the token request would be a deadlock.
      if (options.url.endsWith("/access_tokens")) return request(options);
      const changes = options.method !== "GET" && !isQuery(options);
      const made = this.#last.then(() => this.#make(() => request({ ...options }), changes));
      this.#last = made.catch(() => {});
      return made;
    });
  }

  async #make<T extends { data: unknown; headers: object }>(
    request: () => T | Promise<T>,
    changes: boolean,
  ): Promise<T> {
    for (let refusals = 0; ; refusals++) {
      await this.#waitUntil(Math.max(this.#closedUntil, changes ? this.#nextChangeAt : 0));
      try {
        const answer = await request();
        const failure = failureOfAnswer(answer as never);
        if (failure) throw failure;
        return answer;
      } catch (error) {
        const limit = limitOf(error);
        if (!limit || refusals === maxRefusals) throw error;
        this.#closedUntil = Date.now() + limit.waitMs;
        this.#tell(`GitHub limits calls: going on in ${Math.ceil(limit.waitMs / 1000)} s.`);
      } finally {
        if (changes) this.#nextChangeAt = Date.now() + this.#pauseMs;
      }
    }
  }

  async #waitUntil(time: number): Promise<void> {
    const stop = this.#stop;
    stop?.throwIfAborted();
    const waitMs = time - Date.now();
    if (waitMs > 0) await sleep(waitMs, undefined, stop ? { signal: stop } : {});
  }
}

/** Whether the request is a GraphQL query, which changes nothing. */
function isQuery(options: object): boolean {
  return "query" in options && typeof options.query === "string" && !/^\s*mutation\b/.test(options.query);
}
