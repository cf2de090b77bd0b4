import { type Kysely, sql } from "kysely";
import { webhookFormats } from "../sqlite/0004-webhook-formats.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of webhookFormats) await sql.raw(postgresStatement(statement)).execute(db);
}
