import type { FastifyInstance } from "fastify";

/**
 * A `fetch` that reaches a server in this process without a socket, so that our own bot is a client like any other. Supports
 * only the options that the client uses: a method, headers, a text body and a signal. Ignores the host in the address.
 *
 * @param remoteAddress of the client on whose behalf the server is called
 */
export function injectFetch(
  app: FastifyInstance,
  remoteAddress = "127.0.0.1",
): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, { method, headers, body, signal }) => {
    signal?.throwIfAborted();
    const { pathname, search } = new URL(url);
    const injected = app.inject({
      method: method === "POST" ? "POST" : "GET",
      url: pathname + search,
      remoteAddress,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === "string" ? { payload: body } : {}),
    });
    // The signal that `inject` takes has no effect once the body has been read.
    const response = await (signal ? Promise.race([injected, abortOf(signal)]) : injected);
    const answered = new Headers();
    for (const [name, value] of Object.entries(response.headers)) {
      if (value !== undefined) answered.set(name, String(value));
    }
    return new Response(response.body, { status: response.statusCode, headers: answered });
  };
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
