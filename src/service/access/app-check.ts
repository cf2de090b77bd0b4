import type { AppAccess, AppFault, RegisteredApp } from "../../ports/code-host/app.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";
import { type AppGaps, findAppGaps } from "./app-gaps.ts";

export interface AppCheckOptions {
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

/** What is known of the App without another call. */
export interface KnownApp {
  /** As it was read last; null when GitHub did not answer, or refused the credentials. */
  readonly app: RegisteredApp | null;
  readonly wanted: AppAccess;
  /** Why nothing can be merged; null when nothing is known to be missing. */
  readonly fault: AppFault | null;
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
  readonly #parts: AppCheckOptions;
  readonly #stop = new AbortController();
  readonly #settled = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #fault: AppFault | null = unread;
  #readings = 0;
  #refusals = 0;
  #lastLogged = "";
  #app: RegisteredApp | null = null;

  constructor(parts: AppCheckOptions) {
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

  /** Does not wait for the first reading. */
  known(): KnownApp {
    return { app: this.#app, wanted: this.#parts.wanted, fault: this.#known() };
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
      this.#app = app;
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

/** The result of a reading of the App, for the log and for `/readyz`. */
export interface AppFinding {
  readonly level: "info" | "warn" | "error";
  /** Contains a `code`, unless nothing is missing. */
  readonly fields: object;
  readonly message: string;
  /** Null when the service is ready despite the finding. */
  readonly fault: AppFault | null;
}

/** @param reason GitHub's reason */
export function describeRefusal(reason: string): AppFinding {
  const problem =
    "GitHub rejects the App's credentials. Compare APP_ID with the App's settings page, set PRIVATE_KEY to a key that is listed there, and GHE_HOST to the GitHub that has the App; then start Trainyard again.";
  const code = "APP_CREDENTIALS_REFUSED";
  return { level: "error", fields: { code, reason }, message: problem, fault: { code, problem } };
}

export function describeAbsence(error: unknown): Omit<AppFinding, "fault"> {
  const message =
    "GitHub does not answer what the App may do. Trainyard asks again, and takes webhooks meanwhile.";
  return { level: "warn", fields: { code: "APP_NOT_READ", err: error }, message };
}

/** @param url the page where the App's owner changes permissions and events */
export function describeGaps({ essential, further, events }: AppGaps, url: string): AppFinding {
  const permissions = [...essential, ...further];
  const add = addOnPage(permissions, events, url);
  const fields = { permissions, events, url };
  if (essential.length > 0) {
    const code = "APP_PERMISSIONS_MISSING";
    const problem = `Nothing can be merged: the GitHub App lacks ${essential.join(", ")}. ${add}`;
    return { level: "error", fields: { code, ...fields }, message: problem, fault: { code, problem } };
  }
  if (further.length > 0 || events.length > 0) {
    const code = further.length > 0 ? "APP_PERMISSIONS_INCOMPLETE" : "APP_EVENTS_MISSING";
    const message = `The GitHub App has less than app.yml asks for, so some features do not work or are slow. ${add}`;
    return { level: "warn", fields: { code, ...fields }, message, fault: null };
  }
  return {
    level: "info",
    fields: {},
    message: "Trainyard is ready: the GitHub App has all permissions and events",
    fault: null,
  };
}

function addOnPage(permissions: readonly string[], events: readonly string[], url: string): string {
  const changes = [
    ...(permissions.length > 0 ? [`set ${permissions.join(", ")}`] : []),
    ...(events.length > 0 ? [`subscribe to ${events.join(", ")}`] : []),
  ];
  const accept = permissions.length > 0 ? ", and accept the new permissions where the App is installed" : "";
  return `Open ${url}, ${changes.join(", ")}, click "Save changes"${accept}.`;
}
