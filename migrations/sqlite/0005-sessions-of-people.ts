import { type Kysely, sql } from "kysely";

/**
 * A session is signed in with an API token (`token_id`) or with a GitHub account (`user_id`, `login`). Nobody's session
 * survives: a session is not worth the conversion.
 */
export const sessionsOfPeople: readonly string[] = [
  `drop table dashboard_sessions`,
  `create table dashboard_sessions (
    id_sha256 text not null primary key,
    token_id text,
    user_id bigint,
    login text,
    created_at bigint not null,
    seen_at bigint not null,
    expires_at bigint not null
  )`,
  `create index dashboard_sessions_by_end on dashboard_sessions (expires_at)`,
  `create index dashboard_sessions_by_user on dashboard_sessions (user_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of sessionsOfPeople) await sql.raw(statement).execute(db);
}
