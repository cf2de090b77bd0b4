import type { Octokit } from "@octokit/rest";
import { statusOf } from "./code-host-error.ts";

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
