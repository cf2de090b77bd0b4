import { type Kysely, sql } from "kysely";
import { accessTables } from "../sqlite/initial/access.ts";
import { gitHubTables } from "../sqlite/initial/github.ts";
import { queueTables } from "../sqlite/initial/queues.ts";
import { replicaTables } from "../sqlite/initial/replicas.ts";
import { testTables } from "../sqlite/initial/tests.ts";
import { webhookTables } from "../sqlite/initial/webhooks.ts";
import { appendOnlyAuditLog, hotTables } from "./initial.ts";
import { postgresStatement } from "./postgres-statement.ts";

/** The same tables as in SQLite, and what only PostgreSQL needs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const shared = [
    ...queueTables,
    ...gitHubTables,
    ...accessTables,
    ...webhookTables,
    ...testTables,
    ...replicaTables,
  ];
  const statements = [...shared.map(postgresStatement), ...appendOnlyAuditLog, ...hotTables];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
