import { type Kysely, sql } from "kysely";

/**
 * `search_text` is the title, the author and the head branch in lower case. The index contains everything that the history and the
 * search filter by, so they read few whole entries.
 */
export const searchText = `alter table entries add column search_text text default '' not null`;
export const searchIndex: readonly string[] = [
  `drop index entries_by_end`,
  `create index entries_by_end on entries (queue_id, ended_at, pr, state, submitted_at, search_text)`,
];

interface Key {
  readonly queue_id: string;
  readonly pr: number;
}

const rowsAtOnce = 500;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(searchText).execute(db);
  await fillSearchText(db);
  for (const statement of searchIndex) await sql.raw(statement).execute(db);
}

/** Not in SQL, because SQLite changes only ASCII letters to lower case. */
export async function fillSearchText(db: Kysely<unknown>): Promise<void> {
  let after: Key = { queue_id: "", pr: 0 };
  for (;;) {
    const { rows } = await sql<Key & { content: string }>`
      select queue_id, pr, content from entries where (queue_id, pr) > (${after.queue_id}, ${after.pr})
      order by queue_id, pr limit ${sql.lit(rowsAtOnce)}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    const texts = rows.map(
      ({ queue_id, pr, content }) =>
        sql`(${queue_id}, cast(${pr} as bigint), cast(${searchTextOf(content)} as text))`,
    );
    await sql`
      with texts (queue_id, pr, search_text) as (values ${sql.join(texts)})
      update entries set search_text = texts.search_text from texts
      where entries.queue_id = texts.queue_id and entries.pr = texts.pr`.execute(db);
    after = last;
  }
}

function searchTextOf(content: string): string {
  try {
    const { title, author, headRef } = JSON.parse(content);
    return `${title}\n${author}\n${headRef}`.replaceAll("\0", "").toLowerCase().slice(0, 600);
  } catch {
    // A damaged row is reported when it is read.
    return "";
  }
}
