import { readFileSync } from "node:fs";
import { type Variables, withSecretFiles } from "./variables.ts";

export const defaultDatabaseUrl = "sqlite:trainyard.db";

/**
 * Returns the database's address alone, for commands that need no other setting.
 *
 * @throws Error when `DATABASE_URL_FILE` cannot be read
 */
export function readDatabaseUrl({ DATABASE_URL, DATABASE_URL_FILE }: Variables): string {
  const { env, issues } = withSecretFiles({ DATABASE_URL, DATABASE_URL_FILE }, (path) =>
    readFileSync(path, "utf8"),
  );
  const [issue] = issues;
  if (issue) throw new Error(`${issue.variable} ${issue.problem}`);
  return env.DATABASE_URL || defaultDatabaseUrl;
}
