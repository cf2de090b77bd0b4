import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { HungUp } from "./http-body.ts";

export interface HttpServer {
  port: number;
  close(): Promise<void>;
}

/**
 * After Node's default of five seconds, a busy machine may close a connection at the moment at which a client uses it again: the client
 * gets ECONNRESET.
 */
const keepAliveTimeoutMs = 65_000;

/**
 * Serves on 127.0.0.1. When a handler throws, the client gets a 500 and `onFailure` gets the error, unless the client hung up.
 */
export async function startHttpServer(
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (error instanceof HungUp) return;
      onFailure(error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.keepAliveTimeout = keepAliveTimeoutMs;
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
