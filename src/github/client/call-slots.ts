import type { Octokit } from "@octokit/rest";
import { CodeHostError } from "./code-host-error.ts";

export interface CallSlotsOptions {
  /** The maximum number of calls that are sent at the same time. */
  readonly atOnce: number;
  /** The longest wait of a call before it is sent, in milliseconds. */
  readonly waitMs: number;
}

/** GitHub permits 100 for an installation, and several replicas share them. */
const defaults: CallSlotsOptions = { atOnce: 30, waitMs: 10_000 };

const retryMs = 5_000;

/**
 * Limits how many calls of an installation are in flight. The others wait in order of arrival. Those that wait for too long fail as
 * `unavailable`: GitHub is slow then, and further calls would only wait longer. "No more than 100 concurrent requests are allowed."
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
 */
export class CallSlots {
  readonly #options: CallSlotsOptions;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(options: CallSlotsOptions = defaults) {
    this.#options = options;
    this.#free = options.atOnce;
  }

  guard(client: Octokit): void {
    client.hook.wrap("request", async (request, options) => {
      await this.#take();
      try {
        return await request(options);
      } finally {
        this.#release();
      }
    });
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(enter);
        const message = `GitHub is slow: ${this.#options.atOnce} calls are in flight, and ${this.#waiting.size + 1} wait`;
        reject(new CodeHostError("unavailable", message, retryMs));
      }, this.#options.waitMs);
      const enter = () => {
        clearTimeout(late);
        resolve();
      };
      this.#waiting.add(enter);
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
