import { SchemaProblem } from "../../store/schema/schema-problem.ts";
import { DatabaseUnusable } from "../../store/sqlite/database-unusable.ts";

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
