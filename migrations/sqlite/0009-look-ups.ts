import { type Kysely, sql } from "kysely";

/** By which commits and trees test runs and merges are found, and by which action the audit log of a repository. */
export const lookUpColumns: readonly string[] = [
  `alter table test_runs add column commit_sha text`,
  `alter table test_runs add column tree_sha text`,
  `alter table entries add column head_sha text`,
  `alter table entries add column merged_sha text`,
];
export const lookUpIndexes: readonly string[] = [
  `create index test_runs_by_commit on test_runs (queue_id, commit_sha) where commit_sha is not null`,
  `create index test_runs_by_tree on test_runs (queue_id, tree_sha) where tree_sha is not null`,
  `create index entries_by_head on entries (queue_id, head_sha) where head_sha is not null`,
  `create index entries_by_merge on entries (queue_id, merged_sha) where merged_sha is not null`,
  `create index audit_log_by_repository_and_action on audit_log (organisation, repo_key, action, at, id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of lookUpColumns) await sql.raw(statement).execute(db);
  await fillLookUps(db);
  for (const statement of lookUpIndexes) await sql.raw(statement).execute(db);
}

const rowsAtOnce = 500;

export async function fillLookUps(db: Kysely<unknown>): Promise<void> {
  await fill(db, { table: "test_runs", key: "run_id", columns: ["commit_sha", "tree_sha"], read: shasOfRun });
  await fill(db, { table: "entries", key: "pr", columns: ["head_sha", "merged_sha"], read: shasOfEntry });
}

interface Filling {
  readonly table: string;
  /** With `queue_id`, the primary key. */
  readonly key: string;
  readonly columns: readonly [string, string];
  readonly read: (content: string) => readonly [string | null, string | null];
}

async function fill(db: Kysely<unknown>, { table, key, columns, read }: Filling): Promise<void> {
  const [first, second] = columns;
  const keys = sql.join([sql.ref("queue_id"), sql.ref(key)]);
  let after: { readonly queue_id: string; readonly key: string | number } | null = null;
  for (;;) {
    const { rows }: { rows: { queue_id: string; key: string | number; content: string }[] } = await sql<{
      queue_id: string;
      key: string | number;
      content: string;
    }>`
      select queue_id, ${sql.ref(key)} as key, content from ${sql.table(table)}
      ${after === null ? sql`` : sql`where (${keys}) > (${after.queue_id}, ${after.key})`}
      order by ${keys} limit ${sql.lit(rowsAtOnce)}`.execute(db);
    for (const row of rows) {
      const [one, other] = read(row.content);
      if (one === null && other === null) continue;
      await sql`
        update ${sql.table(table)} set ${sql.ref(first)} = ${one}, ${sql.ref(second)} = ${other}
        where queue_id = ${row.queue_id} and ${sql.ref(key)} = ${row.key}`.execute(db);
    }
    after = rows.at(-1) ?? null;
    if (after === null) return;
  }
}

function shasOfRun(content: string): readonly [string | null, string | null] {
  return readShas(content, ({ run }) => {
    const last = run.commits.at(-1);
    return [last?.commitSha, last?.treeSha];
  });
}

function shasOfEntry(content: string): readonly [string | null, string | null] {
  return readShas(content, ({ headSha, state, reason }) => [headSha, state === "merged" ? reason.sha : null]);
}

/** A damaged row is reported when it is read. */
function readShas(
  content: string,
  // biome-ignore lint/suspicious/noExplicitAny: the shapes of earlier versions have no types.
  pick: (content: any) => readonly unknown[],
): readonly [string | null, string | null] {
  try {
    const [one, other] = pick(JSON.parse(content));
    return [typeof one === "string" ? one : null, typeof other === "string" ? other : null];
  } catch {
    return [null, null];
  }
}
