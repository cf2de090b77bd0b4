import { type Kysely, sql } from "kysely";
import { lastCommands } from "../sqlite/0002-last-commands.ts";
import { postgresStatement } from "./postgres-statement.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of lastCommands) await sql.raw(postgresStatement(statement)).execute(db);
}
