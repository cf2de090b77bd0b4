import { type Kysely, sql } from "kysely";
import { accessTables } from "./initial/access.ts";
import { gitHubTables } from "./initial/github.ts";
import { queueTables } from "./initial/queues.ts";
import { testTables } from "./initial/tests.ts";
import { webhookTables } from "./initial/webhooks.ts";

/** Times are integer milliseconds since the epoch, flags are 0 or 1, structured values are JSON in text columns. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...queueTables, ...gitHubTables, ...accessTables, ...webhookTables, ...testTables])
    await sql.raw(statement).execute(db);
}
