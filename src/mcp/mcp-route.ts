import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { ProblemError } from "../api/problems/problem.ts";
import { createClient } from "../client/client.ts";
import type { Fetch } from "../client/fetch.ts";

const maxBodyBytes = 1024 * 1024;

export interface McpRouteOptions {
  /** Reaches the API of this process, for a client with an address, which the audit log names. */
  readonly fetchFor: (address: string) => Fetch;
  readonly host: string;
  readonly allowWrites: boolean;
  readonly version: string;
}

/** `/mcp`: the tools for agents over streamable HTTP, without sessions. Every call carries an API token. */
export function mcpRoute(options: McpRouteOptions): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    app.addContentTypeParser(
      "application/json",
      { parseAs: "string", bodyLimit: maxBodyBytes },
      (_request, body, done) => done(null, body),
    );
    app.route({
      method: ["GET", "POST", "DELETE"],
      url: "/mcp",
      handler: async (request, reply) => {
        const token = tokenIn(request);
        if (token === null)
          throw new ProblemError({
            code: "TOKEN_MISSING",
            detail: "Send an API token (trainyard token create) in the header authorization, after Bearer.",
            headers: { "www-authenticate": 'Bearer realm="trainyard"' },
          });
        // Loaded only where agents use it, because it takes 30 MB.
        const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
          import("@modelcontextprotocol/server"),
          import("./mcp-server.ts"),
        ]);
        const handler = createMcpHandler(() =>
          createMcpServer({
            ...options,
            place: null,
            client: createClient({ baseUrl: "http://trainyard", token, fetch: options.fetchFor(request.ip) }),
          }),
        );
        const answer = await handler.fetch(toWebRequest(request));
        reply.code(answer.status).headers(Object.fromEntries(answer.headers));
        return reply.send(answer.body && Readable.fromWeb(answer.body as ReadableStream));
      },
    });
  };
  return fastifyPlugin(plugin, { name: "mcp", encapsulate: true });
}

function tokenIn({ headers }: FastifyRequest): string | null {
  const [, bearer] = /^bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const named = headers["x-api-token"];
  return bearer ?? (typeof named === "string" && named !== "" ? named : null);
}

function toWebRequest({ method, headers, url, body }: FastifyRequest): Request {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) copied.set(name, String(value));
  // The body has been decoded, so its length may differ.
  for (const name of ["content-length", "connection", "transfer-encoding"]) copied.delete(name);
  return new Request(new URL(url, "http://trainyard"), {
    method,
    headers: copied,
    ...(typeof body === "string" ? { body } : {}),
  });
}
