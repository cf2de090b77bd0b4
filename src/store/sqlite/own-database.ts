import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "../../ports/code-host/runtime.ts";
import { DatabaseUnusable } from "./database-unusable.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { type DatabaseOwner, OwnerLock } from "./owner-lock.ts";

export type Ownership =
  /** Must be released after everything else has stopped, or at the end of the process. */
  | { readonly kind: "owned"; release(): void }
  /** Another service owns it, and has not ended in time. */
  | { readonly kind: "in_use"; readonly problem: string }
  /** This process was asked to stop while it waited. */
  | { readonly kind: "stopped" };

export interface OwnDatabaseOptions {
  readonly waitMs: number;
  readonly log: Logger;
  readonly stop: AbortSignal;
  /** `alone`: a command that must not run beside any service. Default: `shared`. */
  readonly mode?: "shared" | "alone";
}

const lookMs = 100;
const downMs = 1_000;
const tellMs = 10_000;
const owned = { kind: "owned", release() {} } as const;

/**
 * Makes this process the only service on a SQLite database, and waits for the previous one to end. On PostgreSQL, several services may use
 * the database; this function then only waits for a server that does not answer. Other commands need not own the database. A database in
 * memory needs no lock.
 *
 * @throws DatabaseUnusable when the lock cannot be taken for another reason than that another process holds it.
 */
export async function ownDatabase(
  databaseUrl: string,
  { waitMs, log, stop, mode = "shared" }: OwnDatabaseOptions,
): Promise<Ownership> {
  const location = parseDatabaseUrl(databaseUrl);
  const self = { pid: process.pid, host: hostname(), since: Date.now() };
  if (location.kind === "postgres") {
    // Loaded only if needed, because it loads the driver.
    const { PostgresOwner } = await import("../postgres/postgres-owner.ts");
    const take = () => PostgresOwner.take(databaseUrl, self, mode, log);
    return await waitFor(take, "the PostgreSQL database", { waitMs, log, stop, mode });
  }
  if (location.kind !== "sqlite" || location.path === ":memory:") return owned;
  const { path } = location;
  const take = async () => takeLock(path, self);
  return await waitFor(take, `the database ${location.path}`, { waitMs, log, stop, mode });
}

type Taken = { release(): void } | { readonly heldBy: DatabaseOwner | null };

async function waitFor(
  take: () => Promise<Taken>,
  database: string,
  { waitMs, log, stop, mode }: OwnDatabaseOptions,
): Promise<Ownership> {
  const deadline = performance.now() + waitMs;
  for (let tellAt = 0; !stop.aborted; ) {
    const taken = await take().catch((error: unknown) => {
      if (mode === "alone" || performance.now() >= deadline || !isPassing(error)) throw error;
      return { down: error.message };
    });
    if ("release" in taken) return { kind: "owned", release: () => taken.release() };
    const now = performance.now();
    if ("down" in taken) {
      const fields = { code: "DATABASE_NOT_ANSWERING", waitMs: Math.round(deadline - now) };
      if (now >= tellAt) log.warn(fields, `${taken.down}; waiting for it to answer`);
      if (now >= tellAt) tellAt = now + tellMs;
      await setTimeout(downMs, undefined, { signal: stop }).catch(() => {});
      continue;
    }
    const owner = describe(taken.heldBy);
    if (now >= deadline) {
      const advice =
        mode === "alone"
          ? "stop it first"
          : `it has not ended within ${waitMs / 1_000} s. Only one service can use the database: end the other one, or set DATABASE_URL to another database`;
      return { kind: "in_use", problem: `${database} is in use by ${owner}; ${advice}` };
    }
    if (now >= tellAt) {
      const fields = { code: "DATABASE_IN_USE", owner: taken.heldBy, waitMs: Math.round(deadline - now) };
      log.warn(fields, `the database is in use by ${owner}; waiting for it to end`);
      tellAt = now + tellMs;
    }
    // Rejects only when it is stopped.
    await setTimeout(lookMs, undefined, { signal: stop }).catch(() => {});
  }
  return { kind: "stopped" };
}

function isPassing(error: unknown): error is DatabaseUnusable {
  return error instanceof DatabaseUnusable && error.mayPass;
}

/** Resolves links, because two services may reach one database by different paths. */
function canonicalPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  mkdirSync(dirname(path), { recursive: true });
  return join(realpathSync(dirname(path)), basename(path));
}

function takeLock(path: string, self: DatabaseOwner) {
  try {
    return OwnerLock.take(`${canonicalPath(path)}-owner`, self);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new DatabaseUnusable(
      `the database ${path} cannot be locked (${code ?? message}): it has to be in a directory that this user may write to, on a local file system; check DATABASE_URL`,
      { cause: error },
    );
  }
}

function describe(owner: DatabaseOwner | null): string {
  if (!owner) return "another Trainyard service";
  return `another Trainyard service (process ${owner.pid} on ${owner.host}, since ${new Date(owner.since).toISOString()})`;
}
