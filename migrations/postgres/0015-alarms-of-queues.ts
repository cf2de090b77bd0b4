import { type Kysely, sql } from "kysely";
import { fillAlarms } from "../sqlite/0015-alarms-of-queues.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(fillAlarms).execute(db);
}
