import { setTimeout as sleep } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import { kindOf, statusOf } from "./code-host-error.ts";

/**
 * Parses the bodies of successful responses. Octokit itself looks at each value for integers above 2^53, which GitHub does not
 * send, and takes some ten times as long.
 */
export function parseBodies(client: Octokit): void {
  client.hook.wrap("request", async (request, options) => {
    options.request = { ...options.request, parseSuccessResponseBody: false };
    const response = await request(options);
    // A response without a body has an empty text.
    if (response.data instanceof ReadableStream) response.data = await read(response.data);
    return response;
  });
}

/** Returns a text that is not JSON as it is, and an empty one if the connection broke, as Octokit does. */
async function read(body: ReadableStream): Promise<unknown> {
  const sent = await new Response(body).text().catch(() => "");
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}

const pauseMs = 300;

/**
 * Repeats a read once if it got no response, or a damaged one: a read changes nothing, and most such failures affect one request
 * only.
 */
export function repeatFailedReads(client: Octokit): void {
  client.hook.wrap("request", async (request, options) => {
    try {
      return await request(options);
    } catch (error) {
      if (!isReading(options) || kindOf(error) !== "unavailable") throw error;
      await sleep(pauseMs);
      return request(options);
    }
  });
}

function isReading({ method, query }: { method: string; query?: unknown }): boolean {
  return method === "GET" || (typeof query === "string" && !/^\s*mutation\b/.test(query));
}

/** Tokens are renewed this long before they expire. */
const earlyMs = 60_000;

interface Kept {
  readonly value: string;
  readonly until: number;
}

/** Caches the installation's token for Octokit's authentication. Octokit's own cache would also keep a token that GitHub refuses. */
export class InstallationToken {
  readonly #kept = new Map<string, Kept>();

  async get(key: string): Promise<string> {
    const kept = this.#kept.get(key);
    return kept && Date.now() < kept.until ? kept.value : "";
  }

  /** @param value the token, its time of creation, its expiry, and more, separated by bars */
  async set(key: string, value: string): Promise<void> {
    const [, , expiresAt = ""] = value.split("|");
    this.#kept.set(key, { value, until: Date.parse(expiresAt) - earlyMs });
  }

  /** Forgets the token. The next request gets a new one, with the permissions that are granted then. */
  forget(): void {
    this.#kept.clear();
  }

  /** Repeats a request once, with a new token, if GitHub answers 401: the request was not carried out. */
  renewFor(client: Octokit): void {
    client.hook.wrap("request", async (request, options) => {
      try {
        return await request(options);
      } catch (error) {
        if (statusOf(error) !== 401) throw error;
        this.#kept.clear();
        return request(options);
      }
    });
  }
}
