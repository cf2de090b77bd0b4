import { sql } from "kysely";
import type { Database } from "../sqlite/schema.ts";

/** Test runs and pull requests with the SHA that was found. */
export interface ShaMatches {
  readonly runs: readonly (ShaMatch & { readonly runId: string })[];
  readonly entries: readonly (ShaMatch & { readonly pr: number })[];
}

export interface ShaMatch {
  readonly queueId: string;
  /** Unabbreviated. */
  readonly sha: string;
  /** For a test run, the commit that CI tested, or its tree; for a pull request, its head, or the commit that it merged as. */
  readonly is: "tested_commit" | "tested_tree" | "head" | "merged_commit";
}

/** Unordered: for an order, SQLite would read the index of that order, and so every row. Few rows begin with the same seven digits. */
export async function findBySha(
  db: Database,
  queueIds: readonly string[],
  prefix: string,
  limit: number,
): Promise<ShaMatches> {
  if (queueIds.length === 0) return { runs: [], entries: [] };
  const search = async <Key>(table: string, key: string, column: string, is: ShaMatch["is"]) => {
    const found = sql.ref<string>(column);
    const { rows } = await sql<{ queueId: string; key: Key; sha: string }>`
      select queue_id as "queueId", ${sql.ref(key)} as "key", ${found} as "sha" from ${sql.table(table)}
      where queue_id in (${sql.join(queueIds)}) and ${found} >= ${prefix} and ${found} < ${endOf(prefix)}
      limit ${limit}`.execute(db);
    return rows.map((row) => ({ ...row, is }));
  };
  const runs = await Promise.all([
    search<string>("test_runs", "run_id", "commit_sha", "tested_commit"),
    search<string>("test_runs", "run_id", "tree_sha", "tested_tree"),
  ]);
  const entries = await Promise.all([
    search<number>("entries", "pr", "merged_sha", "merged_commit"),
    search<number>("entries", "pr", "head_sha", "head"),
  ]);
  return {
    runs: runs.flat().map(({ key: runId, ...match }) => ({ ...match, runId })),
    entries: entries.flat().map(({ key: pr, ...match }) => ({ ...match, pr })),
  };
}

/** A text that follows every SHA with this beginning: a SHA has no digit after `f`. */
function endOf(prefix: string): string {
  return `${prefix}g`;
}
