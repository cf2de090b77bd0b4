import { type Entry, isTerminal } from "../../engine/model/entry.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import { Prepared } from "../queries/prepared.ts";
import { PreparedRows } from "../queries/prepared-rows.ts";
import { SharedQuery } from "../queries/shared-query.ts";
import type { Database, EntryTable, Tx } from "../sqlite/schema.ts";
import type { EntryQuery } from "./queue-store.ts";

const put = new PreparedRows((db, rows: readonly EntryTable[]) =>
  db
    .insertInto("entries")
    .values(
      rows.map((row) => ({
        queue_id: row.queue_id,
        pr: row.pr,
        state: row.state,
        head_ref: row.head_ref,
        submitted_at: row.submitted_at,
        ended_at: row.ended_at,
        search_text: row.search_text,
        content: row.content,
      })),
    )
    .onConflict((known) =>
      known.columns(["queue_id", "pr"]).doUpdateSet((update) => ({
        state: update.ref("excluded.state"),
        head_ref: update.ref("excluded.head_ref"),
        submitted_at: update.ref("excluded.submitted_at"),
        ended_at: update.ref("excluded.ended_at"),
        search_text: update.ref("excluded.search_text"),
        content: update.ref("excluded.content"),
      })),
    ),
);

const entries = (db: Database, queueId: string) =>
  db.selectFrom("entries").select(["pr", "content"]).where("queue_id", "=", queueId);

const byPullRequest = new SharedQuery(
  new Prepared((db, at: { queueId: string; pr: number }) => entries(db, at.queueId).where("pr", "=", at.pr)),
  {
    groupOf: (at) => at.queueId,
    read: (db, { queueId }, all) =>
      entries(db, queueId)
        .where(
          "pr",
          "in",
          all.map(({ pr }) => pr),
        )
        .execute(),
    isFor: (row, { pr }) => row.pr === pr,
  },
);

/** Stores the current state of entries, replacing the earlier state for their pull requests. */
export async function putEntries(tx: Tx, queueId: string, entries: readonly Entry[]): Promise<void> {
  const newest = new Map(entries.map((entry) => [entry.pr, entry]));
  await put.run(
    tx,
    Array.from(newest.values(), (entry) => entryRow(queueId, entry)),
  );
}

export async function lastEntry(db: Database, queueId: string, pr: number): Promise<Entry | null> {
  const row = await byPullRequest.first(db, { queueId, pr });
  return row ? parseEntry(queueId, row) : null;
}

export async function lastEntryOfBranch(
  db: Database,
  queueId: string,
  headRef: string,
): Promise<Entry | null> {
  const row = await db
    .selectFrom("entries")
    .select(["pr", "content"])
    .where("queue_id", "=", queueId)
    .where("head_ref", "=", headRef)
    .orderBy((entry) => entry.case().when("ended_at", "is", null).then(0).else(1).end())
    .orderBy("submitted_at", "desc")
    .orderBy("pr", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ? parseEntry(queueId, row) : null;
}

export async function endedEntries(
  db: Database,
  queueId: string,
  since: number,
  limit: number,
): Promise<readonly Entry[]> {
  const rows = await db
    .selectFrom("entries")
    .select(["pr", "content"])
    .where("queue_id", "=", queueId)
    .where("ended_at", ">=", since)
    .orderBy("ended_at", "desc")
    .orderBy("pr", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => parseEntry(queueId, row));
}

export async function listEntries(
  db: Database,
  queueId: string,
  { state, since, until, after, limit }: EntryQuery,
): Promise<readonly Entry[]> {
  let rows = db.selectFrom("entries").select(["pr", "content"]).where("queue_id", "=", queueId);
  if (state !== null) rows = rows.where("state", "=", state);
  if (since !== null) rows = rows.where("submitted_at", ">=", since);
  if (until !== null) rows = rows.where("submitted_at", "<", until);
  if (after !== null)
    rows = rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("submitted_at", "pr"), "<", tuple(after.submittedAt, after.pr)),
    );
  const found = await rows.orderBy("submitted_at", "desc").orderBy("pr", "desc").limit(limit).execute();
  return found.map((row) => parseEntry(queueId, row));
}

/** A longer text would not fit into an index. */
const longestSearchText = 600;

/** PostgreSQL stores no null character. */
function searchTextOf({ title, author, headRef }: Entry): string {
  return `${title}\n${author}\n${headRef}`.replaceAll("\0", "").toLowerCase().slice(0, longestSearchText);
}

function entryRow(queueId: string, entry: Entry) {
  return {
    queue_id: queueId,
    pr: entry.pr,
    state: entry.state,
    head_ref: entry.headRef,
    submitted_at: entry.submittedAt,
    ended_at: isTerminal(entry.state) ? entry.stateChangedAt : null,
    search_text: searchTextOf(entry),
    // Without targets: they are in the log, and there may be thousands.
    content: JSON.stringify({ ...entry, targets: null }),
  };
}

function parseEntry(queueId: string, row: { pr: number; content: string }): Entry {
  const entry = parseStored<Entry>(row.content, `the entry of #${row.pr} in queue ${queueId}`);
  // Earlier versions stored targets here.
  return { ...entry, targets: null };
}
