import { type Kysely, sql } from "kysely";
import { fillSearchText, searchIndex, searchText } from "../sqlite/0007-entry-search.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(postgresStatement(searchText)).execute(db);
  await fillSearchText(db);
  for (const statement of searchIndex) await sql.raw(postgresStatement(statement)).execute(db);
}
