import { type Kysely, sql } from "kysely";
import { fillLookUps, lookUpColumns, lookUpIndexes } from "../sqlite/0009-look-ups.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of lookUpColumns) await sql.raw(postgresStatement(statement)).execute(db);
  await fillLookUps(db);
  for (const statement of lookUpIndexes) await sql.raw(postgresStatement(statement)).execute(db);
}
