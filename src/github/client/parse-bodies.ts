import type { Octokit } from "@octokit/rest";

/**
 * Parses the bodies of successful responses. Octokit itself looks at each value for integers above 2^53, which GitHub does not
 * send, and takes some ten times as long.
 */
export function parseBodies(client: Octokit): void {
  client.hook.wrap("request", async (request, options) => {
    options.request = { ...options.request, parseSuccessResponseBody: false };
    const response = await request(options);
    // A response without a body has an empty text.
    if (response.data instanceof ReadableStream) response.data = await read(response.data);
    return response;
  });
}

/** Returns a text that is not JSON as it is, and an empty one if the connection broke, as Octokit does. */
async function read(body: ReadableStream): Promise<unknown> {
  const sent = await new Response(body).text().catch(() => "");
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}
