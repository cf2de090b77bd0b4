import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import type { OAuth } from "./auth/oauth.ts";
import { type GitHttp, parseGitRequest } from "./git-http/git-http.ts";
import { type GraphqlApi, isGraphqlPath } from "./graphql/graphql-api.ts";
import type { Pages } from "./pages/pages.ts";
import type { RestApi } from "./rest/rest-api.ts";

interface HttpServer {
  port: number;
  close(): Promise<void>;
}

/**
 * If a connection is closed at the moment at which a client uses it again, the client gets ECONNRESET. So the announced time is earlier
 * than the real one, by more than the delays of a busy machine.
 */
const keepAlive = { keepAliveTimeout: 65_000, keepAliveTimeoutBuffer: 60_000 };

/**
 * Serves on 127.0.0.1. When a handler throws, the client gets a 500 and `onFailure` gets the error, unless the client hung up.
 */
export async function startHttpServer(
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<HttpServer> {
  const server = createServer(keepAlive, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (error instanceof HungUp) return;
      onFailure(error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What answers over HTTP. */
export interface Surface {
  readonly git: GitHttp;
  readonly oauth: OAuth;
  readonly graphql: GraphqlApi;
  readonly pages: Pages;
  readonly rest: RestApi;
}

/** Answers a request by Git, an API, or a page, by its path. */
export function serveRequest(
  { git, graphql, oauth, pages, rest }: Surface,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET" } = request;
  const url = new URL(request.url ?? "/", "http://sandbox");
  const gitRequest = parseGitRequest(method, url);
  if (gitRequest !== null) return git.serve(request, response, gitRequest);
  if (isGraphqlPath(url.pathname)) return graphql.serve(request, response);
  if (oauth.handles(url.pathname)) return oauth.serve(request, response, url);
  const page = pages.parse(method, url.pathname);
  if (page !== null) return pages.serve(request, response, page);
  const pathname = url.pathname.replace(/^\/api\/v3(?=\/|$)/, "") || "/";
  return rest.serve(request, response, pathname, url.search);
}

/** The client disconnected before it had sent its whole request, so no response is possible or needed. */
export class HungUp extends Error {
  override readonly name = "HungUp";
}

/**
 * Reads the whole body of a request, and unpacks gzip.
 * @throws HungUp
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch (cause) {
    // A request that has arrived completely is aborted, too, if nobody has read it when the client hangs up.
    if (request.complete && (cause as NodeJS.ErrnoException).code !== "ECONNRESET") throw cause;
    throw new HungUp("The client hung up in the middle of its request.", { cause });
  }
  const body = Buffer.concat(chunks);
  return request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
}
