import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { verify } from "@octokit/webhooks-methods";

export interface ReceivedWebhook {
  event: string;
  action: string | null;
  guid: string;
  headers: Record<string, unknown>;
  body: string;
  payload: Record<string, unknown>;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Events and actions in the order of arrival, as `issue_comment.created`. */
  names(): string[];
  /** Whether the hook's secret signed a webhook. */
  isSigned(webhook: ReceivedWebhook, secret: string): Promise<boolean>;
  /** Sets the status of the next answers. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

/** A real HTTP server that receives webhooks. */
export async function receiveWebhooks(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    const payload = JSON.parse(body);
    received.push({
      event: String(request.headers["x-github-event"]),
      action: payload.action ?? null,
      guid: String(request.headers["x-github-delivery"]),
      headers: request.headers,
      body,
      payload,
    });
    response.writeHead(status).end("seen");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/github/webhooks`,
    received,
    names: () => received.map(({ event, action }) => (action === null ? event : `${event}.${action}`)),
    isSigned: ({ body, headers }, secret) => verify(secret, body, String(headers["x-hub-signature-256"])),
    answerWith(next) {
      status = next;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
