import type { Octokit } from "@octokit/rest";

interface Remembered {
  readonly etag: string;
  readonly response: unknown;
}

const maxRemembered = 500;

/**
 * Asks again with the ETag of the last answer: "304 Not Modified" does not count against GitHub's rate limit.
 * Source: GitHub, "Best practices for using the REST API", conditional requests.
 */
export function rememberEtags(client: Octokit): void {
  const answers = new Map<string, Remembered>();
  client.hook.wrap("request", async (request, options) => {
    if (options.method !== "GET") return request(options);
    const { url } = client.request.endpoint(options);
    const known = answers.get(url);
    try {
      if (known) options.headers["if-none-match"] = known.etag;
      const response = await request(options);
      if (response.headers.etag) remember(answers, url, { etag: response.headers.etag, response });
      return response;
    } catch (error) {
      if (known && isNotModified(error)) return known.response as Awaited<ReturnType<typeof request>>;
      throw error;
    }
  });
}

function remember(answers: Map<string, Remembered>, url: string, answer: Remembered): void {
  answers.delete(url);
  answers.set(url, answer);
  const [oldest] = answers.keys();
  if (answers.size > maxRemembered && oldest !== undefined) answers.delete(oldest);
}

function isNotModified(error: unknown): boolean {
  return error instanceof Error && "status" in error && error.status === 304;
}
