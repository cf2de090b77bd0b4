import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Logger } from "../../ports/code-host/runtime.ts";

/** The delay of the first search, so that a restart under load is not slowed further. */
const firstMs = 5_000;
const everyMs = 24 * 3_600_000;

/** Prints what is wrong with a database; "ok" if nothing is. Errors that mean damage by SQLite's primary result codes count, too. */
const script = `
  const { DatabaseSync } = require("node:sqlite");
  const [path, check] = process.argv.slice(1);
  const damage = () => {
    try {
      const rows = new DatabaseSync(path, { readOnly: true, timeout: 10_000 }).prepare("pragma " + check + "(3)").all();
      const lines = rows.flatMap((row) => Object.values(row)).join("\\n").split("\\n");
      return lines.filter((line) => !line.startsWith("***")).join("; ");
    } catch (error) {
      if ([11, 26].includes(error.errcode & 0xff)) return error.message;
      throw error;
    }
  };
  process.stdout.write(damage());
`;

/**
 * Finds out what is wrong with the pages of a database file; null = nothing. A separate process reads the whole file: it delays neither the
 * event loop nor writers, and can be stopped at any time, unlike a thread within SQLite.
 *
 * @param check `quick_check` does not compare indexes with their tables.
 *
 * @throws Error when the file cannot be read, or the search was aborted.
 */
export async function findDamage(
  path: string,
  check: "quick_check" | "integrity_check",
  signal?: AbortSignal,
): Promise<string | null> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--eval", script, path, check],
    { env: { ...process.env, NODE_OPTIONS: "" }, killSignal: "SIGKILL", signal },
  );
  return stdout === "ok" ? null : stdout;
}

/** Looks for damage in a database file soon after the start, and once a day. */
export class DamageWatch {
  readonly #path: string | null;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** What the last search found; null = nothing, or there was no search yet. */
  found: string | null = null;

  /** @param path null = the database has no file of ours */
  constructor(path: string | null) {
    this.#path = path;
  }

  start(log: Logger, inMs = firstMs): void {
    const path = this.#path;
    if (path === null || this.#stopped.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#look(path, log).then(() => this.start(log, everyMs)), inMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stopped.abort();
  }

  async #look(path: string, log: Logger): Promise<void> {
    const began = performance.now();
    try {
      this.found = await findDamage(path, "quick_check", this.#stopped.signal);
      const ms = Math.round(performance.now() - began);
      if (this.found === null) log.debug({ code: "DATABASE_EXAMINED", ms }, "the database's file is whole");
      else
        log.error(
          { code: "DATABASE_CORRUPT", damage: this.found },
          "the database's file is damaged: stop the service, and restore a backup",
        );
    } catch (error) {
      if (!this.#stopped.signal.aborted)
        log.warn({ err: error }, "could not look for damage in the database");
    }
  }
}
