import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { readDatabaseUrl } from "../../settings/database-url.ts";
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
