import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export interface ScriptedServer {
  readonly url: string;
  readonly requests: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[];
  close(): Promise<void>;
}

/** `hang`: no response. `drop`: the connection ends. */
export type Reaction = ScriptedAnswer | "hang" | "drop";

/** Answers requests with the given reactions in order, and repeats the last one. */
export async function startScripted(...reactions: Reaction[]): Promise<ScriptedServer> {
  const requests: ScriptedServer["requests"] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request).catch((error: unknown) => {
      if (request.readableAborted) return null;
      throw error;
    });
    // The client has given up before it was heard.
    if (body === null) return;
    const { method = "", url: path = "", headers } = request;
    const answer = reactions[Math.min(requests.length, reactions.length - 1)] ?? "hang";
    requests.push({ method, path, headers, body });
    if (answer === "hang") return;
    if (answer === "drop") return void request.socket.destroy();
    const content = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {});
    response.writeHead(answer.status, answer.headers).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
