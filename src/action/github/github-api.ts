import { ApiError, NetworkError } from "../../client/errors.ts";
import type { Fetch } from "../../client/fetch.ts";
import { type RetryOptions, withRetries } from "../../client/retry.ts";
import { asClause } from "../../engine/reasons/sentence.ts";

interface GitHubApiOptions {
  readonly apiUrl: string;
  readonly token: string;
  readonly fetch: Fetch;
  readonly retry: RetryOptions;
}

const timeoutMs = 30_000;

/** GitHub refused the request. */
export class GitHubRefusal extends ApiError {}

/** GitHub did not answer. */
export class GitHubUnreachable extends NetworkError {}

/**
 * The few calls of GitHub's REST API that the Action makes. Rejected: the client of `@actions/github`, which is fifteen times the size of
 * the rest of the bundle, and would delay every step.
 */
export class GitHubApi {
  readonly #options: GitHubApiOptions;

  constructor(options: GitHubApiOptions) {
    this.#options = options;
  }

  /** Retries work that fails for a transient reason. The work must be safe to repeat. */
  retried<T>(work: () => Promise<T>): Promise<T> {
    return withRetries(work, this.#options.retry);
  }

  /**
   * Sends one request, and returns the JSON of the response.
   *
   * @throws GitHubRefusal for every response except success, GitHubUnreachable when there is no response.
   */
  async request(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<unknown> {
    const { apiUrl, token, fetch } = this.#options;
    const { response, text } = await this.#answer(async (signal) => {
      const response = await fetch(`${apiUrl}${path}`, {
        method,
        signal,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${token}`,
          "user-agent": "trainyard-action",
          "x-github-api-version": "2022-11-28",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { response, text: await response.text() };
    });
    const answer = parseJson(text);
    if (response.ok) return answer;
    throw refusal(response, messageOf(answer));
  }

  async #answer<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await ask(signal);
    } catch (error) {
      const kind = signal.aborted ? "timeout" : "network";
      throw new GitHubUnreachable(kind, `GitHub at ${this.#options.apiUrl} did not answer.`, error);
    }
  }
}

/** GitHub also answers 403 to too many requests. Only these headers distinguish that from a missing permission. */
function refusal({ status, headers }: Response, message: string): GitHubRefusal {
  const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
  const isTooMuch = status === 403 && (retryAfter > 0 || headers.get("x-ratelimit-remaining") === "0");
  return new GitHubRefusal({
    status: isTooMuch ? 429 : status,
    code: null,
    detail: `GitHub answered ${status}: ${message}.`,
    errors: [],
    retryAfterMs: retryAfter > 0 ? retryAfter * 1000 : null,
    requestId: headers.get("x-github-request-id"),
  });
}

function messageOf(answer: unknown): string {
  const message = typeof answer === "object" && answer !== null ? Reflect.get(answer, "message") : null;
  return typeof message === "string" ? asClause(message) : "no reason given";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
