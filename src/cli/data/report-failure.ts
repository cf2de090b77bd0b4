import { SchemaProblem } from "../../store/schema/schema-problem.ts";
import { DatabaseUnusable } from "../../store/sqlite/database-unusable.ts";

/** Reports in one line why a database cannot be used, and returns the exit code. Throws every other error again. */
export function reportDatabaseProblem(error: unknown): number {
  if (!(error instanceof SchemaProblem || error instanceof DatabaseUnusable)) throw error;
  return reportFailure(error);
}

/** Reports an error in one line, and returns the exit code. */
export function reportFailure(error: unknown): number {
  const code = error instanceof SchemaProblem ? ` (${error.code})` : "";
  console.error(`${error instanceof Error ? error.message : String(error)}${code}`);
  return 1;
}
