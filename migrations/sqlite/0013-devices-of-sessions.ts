import { type Kysely, sql } from "kysely";

/** Where somebody has signed in: the user agent of a browser, or what a command line calls its machine. The other one is null. */
export const devicesOfSessions: readonly string[] = [
  `alter table dashboard_sessions add column user_agent text`,
  `alter table dashboard_sessions add column machine text`,
  // Only command lines stay signed in for longer than a week. As browsers, they would seem to end after a day without use.
  `update dashboard_sessions set machine = '' where expires_at - created_at > 604800000`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of devicesOfSessions) await sql.raw(statement).execute(db);
}
