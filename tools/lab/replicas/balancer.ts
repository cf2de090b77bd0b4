import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/** Sends each request to one of several services, at random, as a load balancer without sessions does. */
export class Balancer {
  readonly url: string;
  readonly #server = createServer((asked, answer) => this.#forward(asked, answer));
  readonly #port: number;
  readonly #targets: readonly string[];
  readonly #draw: () => number;
  readonly #out = new Set<string>();

  /** @param draw returns a number from 0 to below 1 */
  constructor(port: number, targets: readonly string[], draw: () => number) {
    this.#port = port;
    this.#targets = targets;
    this.#draw = draw;
    this.url = `http://127.0.0.1:${port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** Sends nothing more to a service. What it is doing is not ended. */
  takeOut(target: string): void {
    this.#out.add(target);
  }

  putBack(target: string): void {
    this.#out.delete(target);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #forward(asked: IncomingMessage, answer: ServerResponse): void {
    const targets = this.#targets.filter((target) => !this.#out.has(target));
    const target = targets[Math.floor(this.#draw() * targets.length)];
    if (target === undefined) return void answer.writeHead(503).end();
    const { method, url = "/", headers } = asked;
    const forwarded = request(new URL(url, target), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.on("error", () => answer.destroy());
      answered.pipe(answer);
    });
    forwarded.on("error", () => {
      if (answer.headersSent) return void answer.destroy();
      answer.writeHead(502).end();
    });
    answer.on("close", () => forwarded.destroy());
    asked.pipe(forwarded);
  }
}
