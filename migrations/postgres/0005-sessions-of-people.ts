import { type Kysely, sql } from "kysely";
import { sessionsOfPeople } from "../sqlite/0005-sessions-of-people.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of sessionsOfPeople) await sql.raw(postgresStatement(statement)).execute(db);
}
