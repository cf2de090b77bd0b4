import type { AppAccess, AppFault, RegisteredApp } from "../../ports/code-host/app.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";
import { type AppFinding, describeAbsence, describeGaps, describeRefusal } from "./app-findings.ts";
import { findAppGaps } from "./app-gaps.ts";

export interface AppCheckParts {
  /**
   * Reads the App as registered at the code host. `refused` says why the code host rejects the credentials. Throws when it is
   * unavailable, limits our calls or answers anything else.
   */
  readonly readApp: (signal: AbortSignal) => Promise<RegisteredApp | { readonly refused: string }>;
  /** The access that the App's manifest asks for. */
  readonly wanted: AppAccess;
  readonly log: Logger;
  /** Milliseconds before each further reading; the last value repeats. */
  readonly pausesMs?: readonly number[];
}

const defaultPausesMs = [1_000, 2_000, 5_000, 15_000, 60_000];
/** How long `ask` waits for the first reading to finish. */
const patienceMs = 1_000;

const unread: AppFault = {
  code: "APP_NOT_READ_YET",
  problem: "GitHub has not yet answered what the App may do. Ask again in a few seconds.",
};

/**
 * Compares the App with its manifest repeatedly until nothing is missing. The start of the service does not
 * wait for it. While GitHub is unavailable the service counts as ready, so that a load balancer keeps sending
 * it webhooks and commands.
 */
export class AppCheck {
  readonly #parts: AppCheckParts;
  readonly #stop = new AbortController();
  readonly #settled = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #fault: AppFault | null = unread;
  #readings = 0;
  #refusals = 0;
  #lastLogged = "";

  constructor(parts: AppCheckParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#reading = this.#read().then((isWhole) => {
      const pauses = this.#parts.pausesMs ?? defaultPausesMs;
      const pause = pauses[Math.min(this.#readings++, pauses.length - 1)];
      if (!isWhole && !this.#stop.signal.aborted) this.#timer = setTimeout(() => this.start(), pause);
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#reading;
  }

  /**
   * Why nothing can be merged with this App; null when the App has what merging needs, or GitHub is
   * unavailable.
   */
  async ask(): Promise<AppFault | null> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([this.#settled.promise, tooLate]);
    clearTimeout(timer);
    return this.#fault;
  }

  /** Returns whether nothing is missing, so that the App need not be read again. */
  async #read(): Promise<boolean> {
    const { readApp, wanted } = this.#parts;
    const { signal } = this.#stop;
    try {
      const app = await readApp(signal);
      if ("refused" in app) {
        this.#refusals++;
        // GitHub sometimes denies something and grants it a moment later (ADR 56).
        if (this.#refusals > 1) this.#conclude(describeRefusal(app.refused));
        return false;
      }
      this.#refusals = 0;
      const finding = describeGaps(findAppGaps(wanted, app), app.settingsUrl);
      this.#conclude(finding);
      return finding.level === "info";
    } catch (error) {
      // The earlier finding stays valid while GitHub is unavailable.
      if (!signal.aborted) this.#conclude({ ...describeAbsence(error), fault: this.#known() });
      return false;
    }
  }

  #known(): AppFault | null {
    return this.#fault === unread ? null : this.#fault;
  }

  /** Logs a finding when it differs from the previous one. */
  #conclude({ level, fields, message, fault }: AppFinding): void {
    this.#fault = fault;
    this.#settled.resolve();
    if (message === this.#lastLogged) return;
    this.#lastLogged = message;
    this.#parts.log[level](fields, message);
  }
}
