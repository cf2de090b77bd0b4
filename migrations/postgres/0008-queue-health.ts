import { type Kysely, sql } from "kysely";
import { queueHealth } from "../sqlite/0008-queue-health.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of queueHealth) await sql.raw(postgresStatement(statement)).execute(db);
}
