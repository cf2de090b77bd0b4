import { AsyncLocalStorage } from "node:async_hooks";
import { RequestError } from "@octokit/request-error";
import type { Octokit } from "@octokit/rest";
import { BoundedMap } from "./bounded-map.ts";

interface Answer {
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
}

interface Remembered {
  readonly etag: string;
  readonly response: Answer;
}

const maxRemembered = 500;
/** GitHub's default page size. */
const usualPageSize = 30;

const unconditionally = new AsyncLocalStorage<true>();

/**
 * Runs a function whose requests get full responses. ETags lag: a request right after a webhook may be answered with "not
 * modified". Source: Mergify, issue 781.
 */
export const askUnconditionally = <T>(ask: () => Promise<T>): Promise<T> => unconditionally.run(true, ask);

/**
 * Sends the ETag of the last response with each request: "304 Not Modified" does not count against GitHub's rate limit. Must wrap
 * the hook that checks responses, so that only complete ones are remembered. Source: GitHub, "Best practices for using the REST
 * API", conditional requests.
 */
export class ConditionalRequests {
  readonly #answers = new BoundedMap<string, Remembered>(maxRemembered);

  watch(client: Octokit): void {
    client.hook.wrap("request", async (request, options) => {
      if (options.method !== "GET") return request(options);
      const { url, headers } = client.request.endpoint(options);
      const key = `${url} ${headers.accept}`;
      const known = this.#answers.get(key);
      try {
        if (known && !unconditionally.getStore()) options.headers["if-none-match"] = known.etag;
        const response = await request(options);
        const { etag } = response.headers;
        if (etag && !mayGrowUnseen(response, url))
          this.#answers.set(key, { etag, response: copyOf(response) });
        else this.#answers.delete(key);
        return response;
      } catch (error) {
        if (!known || !isNotModified(error)) throw error;
        // The other remembered headers, such as the time and the rate limit, are outdated.
        const { link } = known.response.headers;
        const headers = { link, ...error.response?.headers };
        return { ...copyOf(known.response), headers } as Awaited<ReturnType<typeof request>>;
      }
    });
  }

  /** Forgets the responses to requests whose URL contains a text, so that these are read again. Default: all. */
  forget(inUrl = ""): void {
    for (const key of this.#answers.keys()) if (key.includes(inUrl)) this.#answers.delete(key);
  }
}

/** Octokit's pagination changes the responses that it reads. */
function copyOf<T extends Answer>(response: T): T {
  return { ...response, data: structuredClone(response.data) };
}

/**
 * Whether the response is a full last page: one more item would create another page, and leave this page with its ETag and without
 * a link to the next one.
 */
function mayGrowUnseen({ data, headers }: Answer, url: string): boolean {
  const lists = Array.isArray(data) ? [data] : Object.values(data ?? {}).filter(Array.isArray);
  const size = Number(new URL(url).searchParams.get("per_page") ?? usualPageSize);
  const hasNext = /rel="next"/.test(String(headers.link ?? ""));
  return !hasNext && lists.some((list) => list.length >= size);
}

function isNotModified(error: unknown): error is RequestError {
  return error instanceof RequestError && error.status === 304;
}
