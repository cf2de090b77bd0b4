import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { Entry } from "../../engine/model/entry.ts";
import type { Database, Schema } from "../sqlite/schema.ts";
import { lastEntry } from "./entry-projection.ts";

/** Selects entries of several queues: those of one number, or those that contain each of the texts. */
export type EntrySearch = { readonly pr: number } | { readonly texts: readonly string[] };

export interface FoundEntry {
  readonly queueId: string;
  readonly entry: Entry;
}

/** Selects ended entries of a queue. Null or empty means any. */
export interface EndedQuery {
  readonly outcome: "merged" | "failed" | "cancelled" | null;
  readonly author: string | null;
  readonly texts: readonly string[];
  /** Ended at or after `since`, and before `until`. */
  readonly since: number | null;
  readonly until: number | null;
  /** Only entries after this one in the list. That entry need not exist any more. */
  readonly after: EndedPlace | null;
  readonly limit: number;
}

/** The position of an entry in a list of ended ones. */
export interface EndedPlace {
  readonly endedAt: number;
  readonly pr: number;
}

/** How many entries of a queue merged on a day. */
export interface MergesOfDay {
  readonly queueId: string;
  /** The number of days since the epoch, in UTC. */
  readonly day: number;
  readonly merges: number;
}

/** How many entries of a queue merged after this wait, rounded down to ten seconds. */
export interface MergesByWait {
  readonly queueId: string;
  readonly waitMs: number;
  readonly merges: number;
}

export interface MergeCounts {
  readonly byDay: readonly MergesOfDay[];
  readonly byWait: readonly MergesByWait[];
}

const dayMs = 86_400_000;
const waitStepMs = 10_000;

/** Live entries first, then ended ones, the last ended first. */
export async function searchEntries(
  db: Database,
  queueIds: readonly string[],
  search: EntrySearch,
  limit: number,
): Promise<readonly FoundEntry[]> {
  let keys = db.selectFrom("entries").select(["queue_id", "pr"]).where("queue_id", "in", queueIds);
  if ("pr" in search) keys = keys.where("pr", "=", search.pr);
  else keys = keys.where((row) => row.and(search.texts.map((text) => contains(row, text))));
  const found = await keys
    .orderBy((row) => row.case().when("ended_at", "is", null).then(0).else(1).end())
    .orderBy("ended_at", "desc")
    .orderBy("pr", "desc")
    .limit(limit)
    .execute();
  return readAll(db, found);
}

/** The last ended first. Stops reading the index when it has found enough entries. */
export async function listEnded(
  db: Database,
  queueId: string,
  { outcome, author, texts, since, until, after, limit }: EndedQuery,
): Promise<readonly Entry[]> {
  let keys = db
    .selectFrom("entries")
    .select(["queue_id", "pr"])
    .where("queue_id", "=", queueId)
    .where("ended_at", ">=", since ?? 0);
  if (until !== null) keys = keys.where("ended_at", "<", until);
  if (outcome !== null) keys = keys.where("state", "=", outcome);
  if (author !== null) keys = keys.where((row) => contains(row, `\n${author}\n`));
  keys = keys.where((row) => row.and(texts.map((text) => contains(row, text))));
  if (after !== null)
    keys = keys.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("ended_at", "pr"), "<", tuple(after.endedAt, after.pr)),
    );
  const found = await keys.orderBy("ended_at", "desc").orderBy("pr", "desc").limit(limit).execute();
  return (await readAll(db, found)).map(({ entry }) => entry);
}

/** Counts the merges since a time. Grouped, because the database counts faster than it returns rows. */
export async function countMerges(
  db: Database,
  queueIds: readonly string[],
  since: number,
): Promise<MergeCounts> {
  const count = (group: RawBuilder<number>) =>
    db
      .selectFrom("entries")
      .select(["queue_id as queueId", group.as("group")])
      .select((row) => row.fn.countAll<number>().as("merges"))
      .where("queue_id", "in", queueIds)
      .where("ended_at", ">=", since)
      .where("state", "=", "merged")
      .groupBy(["queue_id", group])
      .orderBy("queue_id")
      .execute();
  const days = await count(sql`ended_at / ${sql.lit(dayMs)}`);
  const waits = await count(sql`(ended_at - submitted_at) / ${sql.lit(waitStepMs)}`);
  return {
    byDay: days.map(({ queueId, group, merges }) => ({
      queueId,
      day: Number(group),
      merges: Number(merges),
    })),
    byWait: waits.map(({ queueId, group, merges }) => ({
      queueId,
      waitMs: Number(group) * waitStepMs,
      merges: Number(merges),
    })),
  };
}

type Rows = ExpressionBuilder<Schema, "entries">;

/** Ignores case. `%` and `_` in the text have no special meaning. */
function contains(row: Rows, text: string) {
  const pattern = `%${text
    .toLowerCase()
    .replaceAll(/[\\%_]/g, "\\$&")
    .replaceAll("\0", "")}%`;
  return sql<boolean>`${row.ref("search_text")} like ${pattern} escape '\\'`;
}

/** An entry that changes in the meantime is returned as changed. */
async function readAll(
  db: Database,
  keys: readonly { readonly queue_id: string; readonly pr: number }[],
): Promise<readonly FoundEntry[]> {
  const entries = await Promise.all(keys.map(({ queue_id, pr }) => lastEntry(db, queue_id, pr)));
  return keys.flatMap(({ queue_id: queueId }, index) => {
    const entry = entries[index];
    return entry ? [{ queueId, entry }] : [];
  });
}
