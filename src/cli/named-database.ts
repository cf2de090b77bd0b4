import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defaultDatabaseUrl, readDatabaseUrl } from "../settings/database-url.ts";
import { DatabaseProblem } from "../store/schema/database-problem.ts";
import { parseDatabaseUrl } from "../store/sqlite/database-url.ts";
import { loadEnvFile } from "./load-env-file.ts";

/** Describes a database for people: the full path of a file, or only the kind of a server, because the address may contain a password. */
export function nameDatabase(databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind === "sqlite") return location.path === ":memory:" ? ":memory:" : resolve(location.path);
  return location.kind === "postgres" ? "PostgreSQL" : "unknown";
}

/**
 * Reads the address of the database that the service uses, also from `.env`.
 *
 * @param mustExist whether a file that does not exist is refused
 * @throws DatabaseProblem when no setting names one, and the default file does not exist here: then the service uses another database.
 */
export function requireDatabaseUrl(mustExist = false): string {
  loadEnvFile();
  const { DATABASE_URL, DATABASE_URL_FILE } = process.env;
  const path = nameDatabase(defaultDatabaseUrl);
  if (!DATABASE_URL && !DATABASE_URL_FILE && !existsSync(path))
    throw new DatabaseProblem(
      "DATABASE_MISSING",
      `DATABASE_URL is not set, and there is no database at ${path}. Run this command in the directory of the service, or set DATABASE_URL as the service has it.`,
    );
  const databaseUrl = readVariables();
  const location = parseDatabaseUrl(databaseUrl);
  if (mustExist && location.kind === "sqlite" && !existsSync(location.path))
    throw new DatabaseProblem(
      "DATABASE_MISSING",
      `there is no database at ${location.path}; set DATABASE_URL to the one that the service uses`,
    );
  return databaseUrl;
}

function readVariables(): string {
  try {
    return readDatabaseUrl(process.env);
  } catch (error) {
    throw new DatabaseProblem("DATABASE_MISSING", (error as Error).message, { cause: error });
  }
}
