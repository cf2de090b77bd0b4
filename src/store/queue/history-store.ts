import { sql } from "kysely";
import type { Entry } from "../../engine/model/entry.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { lastEntry } from "./entry-projection.ts";
import {
  countMerges,
  type EndedQuery,
  type EntrySearch,
  type FoundEntry,
  listEnded,
  type MergeCounts,
  searchEntries,
} from "./entry-search.ts";
import { archiveBlock } from "./event-archive.ts";
import { findRuns } from "./run-projection.ts";
import { findBySha, type ShaMatches } from "./sha-search.ts";

const hasEntry = sql<boolean>`exists (
  select 1 from entries join queues on queues.id = entries.queue_id
  where queues.repo_key = publications.repo_key and entries.pr = publications.pr)`;

/** Each table with its key, and its time, which has an index. */
const aged = [
  { table: "entries", key: ["queue_id", "pr"], at: "ended_at" },
  { table: "test_runs", key: ["queue_id", "run_id"], at: "ended_at" },
  { table: "health_hours", key: ["queue_id", "at"], at: "at" },
  { table: "heads", key: ["repo_key", "pr"], at: "at" },
  { table: "targets", key: ["repo_key", "pr", "head_sha"], at: "uploaded_at" },
  // A comment is edited as long as the pull request is in a queue, so its row is kept even if it was written long ago.
  { table: "publications", key: ["repo_key", "pr"], at: "written_at", unless: hasEntry },
] as const;

/** What is kept about pull requests after they have left their queues. */
export class HistoryStore extends SqlStore {
  /**
   * Deletes at most `limit` rows of each kind that are older than `before`: pull requests and test runs that have ended, figures of hours,
   * heads and impacted targets of pull requests, and records of what was posted on pull requests without an entry. Returns the number of
   * deleted rows.
   */
  forget(before: number, limit: number): Promise<number> {
    return this.writes.run(async (tx) => {
      let gone = 0;
      for (const { table, key, at, ...kept } of aged) {
        const columns = sql.join(key.map((column) => sql.ref(column)));
        const free = "unless" in kept ? sql`and not ${kept.unless}` : sql``;
        const { numAffectedRows } = await sql`
          delete from ${sql.table(table)} where (${columns}) in (
            select ${columns} from ${sql.table(table)} where ${sql.ref(at)} < ${before} ${free}
            order by ${sql.ref(at)} limit ${sql.lit(limit)})`.execute(tx);
        gone += Number(numAffectedRows ?? 0n);
      }
      return gone;
    });
  }

  /**
   * Compresses the events of a queue that happened before a time. They remain readable. Returns whether something was compressed; then more
   * may be left.
   */
  archiveEvents(queueId: string, before: number): Promise<boolean> {
    return archiveBlock(this.db, this.writes, queueId, before);
  }

  /** The ended entries of a queue, the last ended first. */
  listEnded(queueId: string, query: EndedQuery): Promise<readonly Entry[]> {
    return listEnded(this.db, queueId, query);
  }

  /** Entries of these queues, live ones first, then the last ended. */
  search(queueIds: readonly string[], search: EntrySearch, limit: number): Promise<readonly FoundEntry[]> {
    return searchEntries(this.db, queueIds, search, limit);
  }

  /**
   * Finds the commits and trees of these queues whose SHA begins with a text of hexadecimal digits in lower case. The cost does not depend
   * on the length of the history.
   */
  findBySha(queueIds: readonly string[], prefix: string, limit: number): Promise<ShaMatches> {
    return findBySha(this.db, queueIds, prefix, limit);
  }

  /** Reads test runs and the last entries of pull requests. Rows that are no longer kept are left out. */
  async readTested(
    queueId: string,
    { runIds, prs }: { readonly runIds: readonly string[]; readonly prs: readonly number[] },
  ): Promise<{ readonly runs: readonly RunRecord[]; readonly entries: readonly Entry[] }> {
    const [runs, entries] = await Promise.all([
      findRuns(this.db, queueId, runIds),
      Promise.all(prs.map((pr) => lastEntry(this.db, queueId, pr))),
    ]);
    return { runs, entries: entries.filter((entry) => entry !== null) };
  }

  countMerges(queueIds: readonly string[], since: number): Promise<MergeCounts> {
    return countMerges(this.db, queueIds, since);
  }

  /** The ids of all queues, deleted ones included. */
  async queueIds(): Promise<readonly string[]> {
    const queues = await this.db.selectFrom("queues").select("id").orderBy("id").execute();
    return queues.map(({ id }) => id);
  }
}
