import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { readDatabaseUrl } from "../../settings/database-url.ts";
import type { RowCounts } from "../../store/backup/examine-file.ts";
import { SchemaProblem } from "../../store/schema/schema-problem.ts";
import { DatabaseUnusable } from "../../store/sqlite/database-unusable.ts";
import { ownDatabase } from "../../store/sqlite/own-database.ts";
import { unsetDatabaseProblem } from "../named-database.ts";

/**
 * Reads the address of the database that the service uses.
 *
 * @throws Error when no database is set, and there is none in this directory.
 */
export function requireDatabaseUrl(): string {
  if (existsSync(".env")) loadEnvFile(".env");
  const unset = unsetDatabaseProblem(process.env);
  if (unset !== null) throw new Error(unset);
  return readDatabaseUrl(process.env);
}

export function printCounts(counts: RowCounts): void {
  for (const [table, rows] of counts) if (rows > 0) console.log(`${table}: ${rows} rows`);
}

/** Reports in one line why a database cannot be used, and returns the exit code. Throws every other error again. */
export function reportDatabaseProblem(error: unknown): number {
  if (!isDatabaseProblem(error)) throw error;
  return reportFailure(error);
}

/** Reports an error in one line, and returns the exit code. */
export function reportFailure(error: unknown): number {
  const code = isDatabaseProblem(error) ? ` (${error.code})` : "";
  console.error(`${error instanceof Error ? error.message : String(error)}${code}`);
  return 1;
}

/** Whether the message of an error is one line about the database, which says what to do. */
export function isDatabaseProblem(error: unknown): error is SchemaProblem | DatabaseUnusable {
  return error instanceof SchemaProblem || error instanceof DatabaseUnusable;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Does something with a database while no service uses it.
 *
 * @param waitMs how long to wait for other users of the database to end.
 * @throws Error when one is still there after that.
 */
export async function whileAlone<T>(databaseUrl: string, work: () => Promise<T>, waitMs = 0): Promise<T> {
  const { signal: stop } = new AbortController();
  const ownership = await ownDatabase(databaseUrl, { waitMs, log: silent, stop, mode: "alone" });
  if (ownership.kind === "in_use") throw new Error(ownership.problem);
  if (ownership.kind === "stopped") throw new Error("this command was stopped");
  try {
    return await work();
  } finally {
    ownership.release();
  }
}
