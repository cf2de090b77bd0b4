import { type Kysely, sql } from "kysely";
import { pastStates } from "../sqlite/0010-past-states.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of pastStates) await sql.raw(postgresStatement(statement)).execute(db);
}
