import type { Octokit } from "@octokit/rest";
import { statusOf } from "./code-host-error.ts";

/** Tokens are asked for again this long before they expire. */
const earlyMs = 60_000;

interface Kept {
  readonly value: string;
  readonly until: number;
}

/** Keeps the installation's token for Octokit's authentication, which by itself would also keep one that GitHub refuses. */
export class InstallationToken {
  readonly #kept = new Map<string, Kept>();

  async get(key: string): Promise<string> {
    const kept = this.#kept.get(key);
    return kept && Date.now() < kept.until ? kept.value : "";
  }

  /** @param value the token, when it was made, when it expires, and more, separated by bars */
  async set(key: string, value: string): Promise<void> {
    const [, , expiresAt = ""] = value.split("|");
    this.#kept.set(key, { value, until: Date.parse(expiresAt) - earlyMs });
  }

  /** Has the next request made with a fresh token, which has the permissions that are granted then. */
  forget(): void {
    this.#kept.clear();
  }

  /** Makes every request that GitHub answers 401 once more, with a fresh token: it was not carried out. */
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
