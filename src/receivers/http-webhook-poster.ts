import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import * as http from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { PortRefusal, Posted, WebhookPoster } from "../ports/webhooks/webhook-poster.ts";
import { isPublicAddress } from "./public-address.ts";

export interface HttpWebhookPosterOptions {
  /** Whether private addresses and plain HTTP are allowed. */
  readonly allowPrivate: boolean;
  /** The ports that may be connected to. Default: any. */
  readonly ports?: readonly number[] | null;
  /** For connecting, sending and the answer together. Default: 10 seconds. */
  readonly timeoutMs?: number;
  /** How names are resolved. Default: by the system. */
  readonly lookup?: LookupAll;
}

const maxUrlLength = 2_048;
/** Only the status of an answer matters. Up to this many bytes of its body are read, so that the receiver can finish sending it. */
const maxAnswerBytes = 16 * 1024;

/** Posts over HTTPS to public addresses, unless `allowPrivate` is set. Each post has its own connection. */
export class HttpWebhookPoster implements WebhookPoster {
  readonly #allowPrivate: boolean;
  readonly #ports: readonly number[] | null;
  readonly #timeoutMs: number;
  readonly #lookup: LookupAll;

  constructor(options: HttpWebhookPosterOptions) {
    const { allowPrivate, ports = null, timeoutMs = 10_000, lookup = dnsLookup } = options;
    this.#allowPrivate = allowPrivate;
    this.#ports = ports;
    this.#timeoutMs = timeoutMs;
    this.#lookup = lookup;
  }

  objection(text: string): string | null {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || text.length > maxUrlLength) return "it is not an address such as https://example.com/hook";
    if (url.username !== "" || url.password !== "") return "it must not hold a user or a password";
    if (url.protocol !== "https:" && url.protocol !== "http:") return "it must begin with https://";
    if (this.#allowPrivate) return null;
    if (url.protocol !== "https:") return "it must begin with https://";
    const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
    const isLocal = host === "localhost" || host.endsWith(".localhost");
    if (isLocal || (isIP(host) !== 0 && !isPublicAddress(host))) return "its address is not a public one";
    return null;
  }

  refusedPort(text: string): PortRefusal | null {
    if (this.#ports === null || !URL.canParse(text)) return null;
    const { port: given, protocol } = new URL(text);
    const port = given === "" ? (protocol === "https:" ? 443 : 80) : Number(given);
    return this.#ports.includes(port) ? null : { port, allowed: this.#ports };
  }

  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted> {
    const objection = this.objection(url);
    if (objection !== null) return { kind: "failed", error: `nothing was sent: ${objection}` };
    // The port may have been allowed when the webhook was created.
    const refused = this.refusedPort(url);
    if (refused !== null) return { kind: "failed", error: `nothing was sent: ${portText(refused)}` };
    try {
      return await this.#exchange(new URL(url), headers, body);
    } catch (error) {
      return { kind: "failed", error: reasonOf(error, this.#timeoutMs) };
    }
  }

  #exchange(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<Posted> {
    const { request } = url.protocol === "https:" ? https : http;
    const bytes = Buffer.from(body);
    return new Promise((resolve, reject) => {
      const sent = request(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": bytes.length,
          "user-agent": "trainyard-webhooks",
          ...headers,
        },
        // Shared connections, and proxies from the environment, would be used without a check of the address.
        agent: false,
        signal: AbortSignal.timeout(this.#timeoutMs),
        ...(this.#allowPrivate ? {} : { lookup: guardedLookup(this.#lookup) }),
      });
      sent.on("error", reject);
      sent.on("response", (answer) => {
        const { statusCode: status = 0 } = answer;
        const posted = { kind: "answered", status, retryAfterMs: retryAfterMs(answer) } as const;
        let read = 0;
        answer.on("data", (chunk: Buffer) => {
          read += chunk.length;
          if (read > maxAnswerBytes) answer.destroy();
        });
        // Errors of the body are ignored, because only the status matters.
        answer.on("error", () => resolve(posted));
        answer.on("close", () => resolve(posted));
      });
      sent.end(bytes);
    });
  }
}

function portText({ port, allowed }: PortRefusal): string {
  return `its port ${port} is not one of those allowed, ${allowed.join(", ")} (WEBHOOK_PORT_REFUSED)`;
}

function retryAfterMs({ headers }: http.IncomingMessage): number | null {
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === "AbortError" || name === "TimeoutError")
    return `it did not answer within ${timeoutMs / 1000} seconds`;
  return `it could not be reached: ${code ?? message}`;
}

/** Resolves a name to all of its addresses, as `dns.lookup` does. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Resolves the name of a host before a connection, and refuses it if any of its addresses is not public. The connection uses the addresses
 * returned here, which prevents DNS rebinding. A name with both kinds of addresses is refused: the connection could choose either.
 */
export function guardedLookup(lookup: LookupAll): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) return callback(error, "", 0);
      if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new Error("its name leads to an address that is not public"), "", 0);
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
