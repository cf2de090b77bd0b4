import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { HungUp } from "./http-body.ts";

export interface HttpServer {
  port: number;
  close(): Promise<void>;
}

/**
 * If a connection is closed at the moment at which a client uses it again, the client gets ECONNRESET. So a client is told an earlier time
 * than that at which its connection is closed, by more than a busy machine may delay either.
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
