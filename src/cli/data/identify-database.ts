import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";

/** Names a database without its user and password, the same each time. */
export function identifyDatabase(databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind === "sqlite")
    return existsSync(location.path) ? realpathSync(location.path) : resolve(location.path);
  if (!URL.canParse(databaseUrl)) return "PostgreSQL";
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${hostname}:${port || "5432"}${pathname}`;
}
