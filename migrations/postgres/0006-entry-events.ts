import { type Kysely, sql } from "kysely";
import { entryEvents } from "../sqlite/0006-entry-events.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of entryEvents) await sql.raw(postgresStatement(statement)).execute(db);
}
