import { type Kysely, sql } from "kysely";
import { commentMarks } from "../sqlite/0003-comment-marks.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of commentMarks) await sql.raw(postgresStatement(statement)).execute(db);
}
