import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defaultDatabaseUrl } from "../settings/database-url.ts";
import type { Variables } from "../settings/variables.ts";
import { parseDatabaseUrl } from "../store/sqlite/database-url.ts";

/** Describes a database for people: the full path of a file, or only the kind of a server, because the address may contain a password. */
export function nameDatabase(databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind === "sqlite") return location.path === ":memory:" ? ":memory:" : resolve(location.path);
  return location.kind === "postgres" ? "PostgreSQL" : "unknown";
}

/**
 * Returns why a command must not open the default database when no setting names one; null if it may. If the default file does not exist
 * here, the service uses another database.
 */
export function unsetDatabaseProblem({ DATABASE_URL, DATABASE_URL_FILE }: Variables): string | null {
  if (DATABASE_URL || DATABASE_URL_FILE) return null;
  const path = nameDatabase(defaultDatabaseUrl);
  if (existsSync(path)) return null;
  return `DATABASE_URL is not set, and there is no database at ${path}. Run this command in the directory of the service, or set DATABASE_URL as the service has it.`;
}
