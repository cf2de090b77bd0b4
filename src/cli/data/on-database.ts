import type { RowCounts } from "../../store/backup/examine-file.ts";
import { applyMigrations } from "../../store/schema/apply-migrations.ts";
import { DatabaseProblem } from "../../store/schema/database-problem.ts";
import { openSchema } from "../../store/schema/open-schema.ts";
import { DatabaseUnusable } from "../../store/sqlite/database-unusable.ts";
import { ownDatabase } from "../../store/sqlite/own-database.ts";
import { asStorageError } from "../../store/sqlite/storage-error.ts";
import { printerOf, printFailure } from "../print-json.ts";

/**
 * Runs a command about a database. Its failures become one line, or with `--json` an object.
 *
 * @param run prints its answer, and returns the exit code
 */
export async function onDatabase(
  { json }: { readonly json?: true },
  run: (print: ReturnType<typeof printerOf>) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await run(printerOf(json));
  } catch (error) {
    process.exitCode = reportFailure(error, json);
  }
}

/** A line for each table that has rows. */
export function renderCounts(counts: RowCounts): readonly string[] {
  return [...counts].filter(([, rows]) => rows > 0).map(([table, rows]) => `${table}: ${countRows(rows)}`);
}

export function countRows(rows: number): string {
  return rows === 1 ? "1 row" : `${rows} rows`;
}

/** Reports in one line why a database or a file cannot be used, and returns the exit code. Throws every other error again. */
export function reportProblem(error: unknown, json: boolean): number {
  const isAboutFile = error instanceof Error && "syscall" in error && "path" in error;
  if (!isDatabaseProblem(error) && !isAboutFile) throw error;
  return reportFailure(error, json);
}

function reportFailure(error: unknown, json: boolean | undefined): number {
  const { message = String(error), code = null } = asStorageError(error) as NodeJS.ErrnoException;
  // Errors of the system contain their code.
  const text = json || code === null || message.includes(code) ? message : `${message} (${code})`;
  printFailure(code, text, json);
  return 1;
}

/** Whether the message of an error is one line about the database, which says what to do. */
export function isDatabaseProblem(error: unknown): error is DatabaseProblem | DatabaseUnusable {
  return error instanceof DatabaseProblem || error instanceof DatabaseUnusable;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Does something with a database while no service uses it.
 *
 * @param waitMs how long to wait for other users of the database to end.
 * @throws DatabaseProblem when one is still there after that.
 */
export async function whileAlone<T>(databaseUrl: string, work: () => Promise<T>, waitMs = 0): Promise<T> {
  const { signal: stop } = new AbortController();
  const ownership = await ownDatabase(databaseUrl, { waitMs, log: silent, stop, mode: "alone" });
  if (ownership.kind === "in_use") throw new DatabaseProblem("DATABASE_IN_USE", ownership.problem);
  if (ownership.kind === "stopped") throw new Error("this command was stopped");
  try {
    return await work();
  } finally {
    ownership.release();
  }
}

/** Applies the migrations that a database lacks, and returns their names. */
export async function applyPending(databaseUrl: string): Promise<readonly string[]> {
  const { db, kind } = await openSchema(databaseUrl, "write");
  try {
    return await applyMigrations(db, kind);
  } finally {
    await db.destroy();
  }
}
