import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** How long GitHub waits for a response. */
const TIMEOUT_MS = 10_000;

type HookResult = Pick<Delivery, "succeeded" | "status" | "statusCode" | "responseHeaders" | "responseBody">;

/** Posts to the hook's URL over persistent connections. Closing ends the connections and aborts running requests. */
export class HookTransport {
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https = new HttpsAgent({ keepAlive: true });
  readonly #closing = new AbortController();

  /** Never throws. A failure is part of the result. */
  post(url: string, headers: Record<string, string>, body: string): Promise<HookResult> {
    const isSecure = url.startsWith("https:");
    const options = {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      agent: isSecure ? this.#https : this.#http,
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    };
    return new Promise((resolve) => {
      const failed = (error: Error) =>
        resolve({
          succeeded: false,
          status:
            error.name === "TimeoutError" || error.name === "AbortError"
              ? "timed out"
              : "failed to connect to host",
          statusCode: 0,
          responseHeaders: {},
          responseBody: "",
        });
      const request = (isSecure ? httpsRequest : httpRequest)(url, options, (response) => {
        readResponse(response).then(resolve, failed);
      });
      request.on("error", failed);
      request.end(body);
    });
  }

  close(): void {
    this.#closing.abort();
    this.#http.destroy();
    this.#https.destroy();
  }
}

async function readResponse(response: IncomingMessage): Promise<HookResult> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const statusCode = response.statusCode ?? 0;
  const succeeded = statusCode >= 200 && statusCode < 300;
  return {
    succeeded,
    status: succeeded ? "OK" : `Invalid HTTP Response: ${statusCode}`,
    statusCode,
    responseHeaders: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    ),
    responseBody: Buffer.concat(chunks).toString("utf8"),
  };
}

/** One attempt to deliver one event to the App. */
export interface Delivery {
  /** The id of the attempt. The GUID identifies the event. */
  id: number;
  guid: string;
  event: string;
  action: string | null;
  installationId: number | null;
  repositoryId: number | null;
  url: string;
  redelivery: boolean;
  requestHeaders: Record<string, string>;
  /** The body as sent; see {@link unpackBody}. */
  packedBody: Uint8Array;
  deliveredAt: Date;
  durationSeconds: number;
  succeeded: boolean;
  /** `OK`, or a description of the failure. */
  status: string;
  /** 0 if there was no response. */
  statusCode: number;
  responseHeaders: Record<string, string>;
  responseBody: string;
}

/**
 * Packs the body of a delivery. Deliveries are many and large, and are kept as long as the sandbox lives: unpacked, half a
 * megabyte for each pull request. The result is not a Buffer, because a small Buffer would keep its whole slab of Node's pool in
 * memory.
 */
export const packBody = (body: string): Uint8Array => new Uint8Array(deflateRawSync(body, { level: 1 }));

/** Returns the JSON that was sent. */
export const unpackBody = ({ packedBody }: Delivery): string => inflateRawSync(packedBody).toString("utf8");

/** An event as it is sent. */
export interface WebhookMessage
  extends Pick<Delivery, "event" | "action" | "installationId" | "repositoryId"> {
  /** The JSON payload. */
  body: string;
}
