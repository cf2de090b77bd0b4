import type { Fetch } from "../../../src/client/fetch.ts";

/** One request to the service's API. Times are in milliseconds since the start of the history. */
export interface Operation {
  /** The endpoint's name, such as `submitPullRequest`. */
  readonly endpoint: string;
  /** The number of the pull request; null = it is about none. */
  readonly pr: number | null;
  readonly from: number;
  /** When its answer was complete. */
  readonly to: number;
  /** Null = there was no complete answer. */
  readonly status: number | null;
  readonly retryAfter: string | null;
  /** Null = not JSON, or no answer. */
  readonly answer: unknown;
}

/** Records what clients ask, and what they are answered. */
export class History {
  readonly operations: Operation[] = [];
  readonly #began = performance.now();

  /** Sends a request, and records it. */
  readonly fetch: Fetch = async (url, init) => {
    const from = this.#now();
    const endpoint = new URL(url).pathname.split("/").at(-1) ?? "";
    const asked = { endpoint, pr: numberIn(init.body), from };
    const record = (status: number | null, retryAfter: string | null, answer: unknown) => {
      this.operations.push({ ...asked, to: this.#now(), status, retryAfter, answer });
    };
    try {
      const response = await fetch(url, init);
      const text = await response.clone().text();
      record(response.status, response.headers.get("retry-after"), parse(text));
      return response;
    } catch (error) {
      record(null, null, null);
      throw error;
    }
  };

  #now(): number {
    return performance.now() - this.#began;
  }
}

function numberIn(body: unknown): number | null {
  if (typeof body !== "string") return null;
  const { pr } = JSON.parse(body) as { pr?: { number?: number } };
  return pr?.number ?? null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
