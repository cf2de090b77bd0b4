import { type Kysely, sql } from "kysely";

/** The form in which a webhook receives messages: `json`, `slack` or `teams`. */
export const webhookFormats: readonly string[] = [
  `alter table webhook_endpoints add column format text default 'json' not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of webhookFormats) await sql.raw(statement).execute(db);
}
