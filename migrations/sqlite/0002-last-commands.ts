import { type Kysely, sql } from "kysely";

/** The last command of each subject, such as a pull request or a queue. `subject` is unique in the repository. */
export const lastCommands: readonly string[] = [
  `create table last_commands (
    repo_key text not null,
    subject text not null,
    command_id text not null,
    comment_id bigint not null,
    verb text not null,
    at bigint not null,
    answer text not null,
    primary key (repo_key, subject)
  )`,
  `create index last_commands_by_age on last_commands (at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of lastCommands) await sql.raw(statement).execute(db);
}
