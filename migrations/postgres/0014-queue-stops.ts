import { type Kysely, sql } from "kysely";
import { fillQueueStops, queueStops } from "../sqlite/0014-queue-stops.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of queueStops) await sql.raw(postgresStatement(statement)).execute(db);
  for (const statement of fillQueueStops) await sql.raw(statement).execute(db);
}
