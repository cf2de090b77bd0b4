import type { Database } from "../sqlite/schema.ts";

/** Test runs and pull requests with the SHA that was found. */
export interface ShaMatches {
  readonly runs: readonly (ShaMatch & { readonly runId: string })[];
  readonly entries: readonly (ShaMatch & { readonly pr: number })[];
}

export interface ShaMatch {
  readonly queueId: string;
  /** Whole. */
  readonly sha: string;
  /** What it is: of a test run the commit that CI tested, or its tree; of a pull request its head, or what it merged as. */
  readonly is: "tested_commit" | "tested_tree" | "head" | "merged_commit";
}

const ofRuns = [
  ["commit_sha", "tested_commit"],
  ["tree_sha", "tested_tree"],
] as const;
const ofEntries = [
  ["merged_sha", "merged_commit"],
  ["head_sha", "head"],
] as const;

/** Unordered: with an order, SQLite would read the index of that order, and so every row. Seven digits belong to few. */
export async function findBySha(
  db: Database,
  queueIds: readonly string[],
  prefix: string,
  limit: number,
): Promise<ShaMatches> {
  if (queueIds.length === 0) return { runs: [], entries: [] };
  const runs = ofRuns.map(async ([column, is]) => {
    const rows = await db
      .selectFrom("test_runs")
      .select(["queue_id as queueId", "run_id as runId", `${column} as sha`])
      .where("queue_id", "in", queueIds)
      .where(column, ">=", prefix)
      .where(column, "<", endOf(prefix))
      .limit(limit)
      .execute();
    return rows.map(({ sha, ...row }) => ({ ...row, sha: sha ?? "", is }));
  });
  const entries = ofEntries.map(async ([column, is]) => {
    const rows = await db
      .selectFrom("entries")
      .select(["queue_id as queueId", "pr", `${column} as sha`])
      .where("queue_id", "in", queueIds)
      .where(column, ">=", prefix)
      .where(column, "<", endOf(prefix))
      .limit(limit)
      .execute();
    return rows.map(({ sha, ...row }) => ({ ...row, sha: sha ?? "", is }));
  });
  return { runs: (await Promise.all(runs)).flat(), entries: (await Promise.all(entries)).flat() };
}

/** Follows every SHA that begins with the text: a SHA has no digit after `f`. */
function endOf(prefix: string): string {
  return `${prefix}g`;
}
