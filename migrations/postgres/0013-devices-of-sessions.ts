import { type Kysely, sql } from "kysely";
import { devicesOfSessions } from "../sqlite/0013-devices-of-sessions.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of devicesOfSessions) await sql.raw(postgresStatement(statement)).execute(db);
}
