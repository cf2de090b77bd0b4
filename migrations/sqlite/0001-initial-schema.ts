import { type Kysely, sql } from "kysely";
import { accessTables, appendOnlyAuditLog } from "./initial/access.ts";
import { gitHubTables } from "./initial/github.ts";
import { queueTables } from "./initial/queues.ts";
import { replicaTables } from "./initial/replicas.ts";
import { testTables } from "./initial/tests.ts";
import { webhookTables } from "./initial/webhooks.ts";

/** Times are integer milliseconds since the epoch, flags are 0 or 1, structured values are JSON in text columns. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const tables = [
    ...queueTables,
    ...gitHubTables,
    ...accessTables,
    ...webhookTables,
    ...testTables,
    ...replicaTables,
  ];
  for (const statement of [...tables, appendOnlyAuditLog]) await sql.raw(statement).execute(db);
}
