import type { Logger } from "../../ports/code-host/runtime.ts";
import { createStores, type Store } from "../create-stores.ts";
import { DatabaseProblem } from "../schema/database-problem.ts";
import { Checkpoints } from "./checkpoints.ts";
import { type OpenedSqlite, openSqlite } from "./connect-sqlite.ts";
import { DatabaseUnusable } from "./database-unusable.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { FilePlace } from "./file-place.ts";
import { GroupCommit } from "./group-commit.ts";
import { migrate } from "./migrate.ts";
import { tightenFiles } from "./private-files.ts";
import type { Schema } from "./schema.ts";
import { asStorageError, StorageError } from "./storage-error.ts";

export type { Store } from "../create-stores.ts";

/**
 * Opens a database and brings its schema up to date. A SQLite file that does not exist is created. Only its
 * owner may read its files: access of others is removed, and logged.
 *
 * @param databaseUrl `postgres://…`, `sqlite:path`, `file:path`, a plain path, or `:memory:`, whose data is lost when closed.
 * @throws DatabaseProblem when this version cannot use it, or its kind is not supported.
 * @throws DatabaseUnusable when it cannot be opened.
 */
export async function openStore(databaseUrl: string, log?: Pick<Logger, "warn">): Promise<Store> {
  if (parseDatabaseUrl(databaseUrl).kind === "postgres") {
    // Loaded only if needed, because it loads the driver.
    const { openPostgresStore } = await import("../postgres/open-postgres-store.ts");
    return await openPostgresStore(databaseUrl);
  }
  const { db, written, path } = connect(databaseUrl, log);
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw asUnusable(path, error);
  }
  const file = path === ":memory:" ? null : path;
  const place = file === null ? null : new FilePlace(file);
  return createStores(db, new GroupCommit(db, written, new Checkpoints(db, written, place)), null, file);
}

/** Explains an error of SQLite itself; returns every other error unchanged. */
function asUnusable(path: string, error: unknown): unknown {
  const fault = asStorageError(error);
  if (!(fault instanceof StorageError)) return error;
  const what = `the file ${path} cannot be used as a database (${fault.message}); check DATABASE_URL`;
  return new DatabaseUnusable(what, { cause: error });
}

function connect(
  databaseUrl: string,
  log?: Pick<Logger, "warn">,
): OpenedSqlite<Schema> & { readonly path: string } {
  const location = parseDatabaseUrl(databaseUrl);
  switch (location.kind) {
    case "sqlite":
      for (const file of tightenFiles(location.path))
        log?.warn({ code: "FILE_TIGHTENED", file }, "others could read this file; now only its owner can");
      return { ...openSqlite<Schema>(location.path), path: location.path };
    case "postgres":
      throw new Error("a PostgreSQL database has no file");
    case "missing":
      throw new DatabaseProblem(
        "DATABASE_MISSING",
        "the database's path is missing: give one, as in sqlite:trainyard.db",
      );
    case "unknown":
      // Only the scheme, because the whole URL may contain a password.
      throw new DatabaseProblem(
        "DATABASE_KIND_NOT_SUPPORTED",
        `${location.scheme}: is not a database that is supported: use SQLite or PostgreSQL, as in sqlite:trainyard.db or postgres://user:password@host/database`,
      );
  }
}
