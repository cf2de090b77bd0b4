import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** A response to a request. */
export interface Scripted {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A service that returns the given responses in order, and repeats the last one. */
export interface ScriptedService {
  readonly url: string;
  readonly received: Received[];
  close(): Promise<void>;
}

export async function startScripted(...answers: readonly Scripted[]): Promise<ScriptedService> {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { status, headers, body } = answers[Math.min(received.length, answers.length - 1)] ?? {
      status: 500,
    };
    received.push({
      path: incoming.url ?? "",
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    });
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body ?? {}));
  });
  const url = await listen(server);
  return { url, received, close: () => close(server) };
}

export interface Proxy {
  readonly url: string;
  /** The hosts that clients requested. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** A proxy that forwards every request to one server, regardless of the requested host. */
export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? "");
    asked.push(url.host);
    const { method, headers } = incoming;
    const forwarded = request({ hostname, port, path: url.pathname, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  server.on("connect", (incoming, socket) => {
    asked.push(incoming.url ?? "");
    const tunnel = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const end of [tunnel, socket])
      end.on("error", () => [tunnel, socket].forEach((each) => void each.destroy()));
  });
  const url = await listen(server);
  return { url, asked, close: () => close(server) };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
