import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

/** A received webhook request. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly id: string;
}

type Answering = (received: Received, response: ServerResponse) => void;

/** A webhook endpoint. Accepts everything by default. */
export class Receiver {
  readonly received: Received[] = [];
  connections = 0;
  answer: Answering = (_received, response) => void response.end();
  readonly #server = createServer((request, response) => void this.#take(request, response));

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.on("connection", () => {
      receiver.connections += 1;
    });
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** The ids of the received requests, in order. */
  get ids(): string[] {
    return this.received.map(({ id }) => id);
  }

  /** Refuses requests that match the rule, and accepts the others. */
  refuse(rule: (received: Received) => boolean, status = 500): void {
    this.answer = (received, response) => {
      response.statusCode = rule(received) ? status : 204;
      response.end();
    };
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch((error: unknown) => {
      if (request.readableAborted) return null;
      throw error;
    });
    // The sender has given up before it was heard.
    if (body === null) return;
    const headers = request.headers as Record<string, string>;
    const received = { path: request.url ?? "", headers, body, id: headers["webhook-id"] ?? "" };
    this.received.push(received);
    this.answer(received, response);
  }
}

/** The signed payload, as the public package reads it. Throws when the signature does not match the secret. */
export function verified(secret: string, { body, headers }: Received): Record<string, unknown> {
  return new Webhook(secret).verify(body, { ...headers }) as Record<string, unknown>;
}
