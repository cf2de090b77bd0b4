import { type Kysely, sql } from "kysely";
import { timeOfTests } from "../sqlite/0011-time-of-tests.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(postgresStatement(timeOfTests)).execute(db);
}
