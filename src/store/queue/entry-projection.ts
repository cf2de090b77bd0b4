import { sql } from "kysely";
import { entriesOf } from "../../engine/decision.ts";
import { type Entry, isTerminal } from "../../engine/model/entry.ts";
import type { Event } from "../../engine/model/event.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import { Prepared } from "../queries/prepared.ts";
import { PreparedRows } from "../queries/prepared-rows.ts";
import { SharedQuery } from "../queries/shared-query.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import type { EntryQuery } from "./queue-store.ts";

const put = new PreparedRows((db, rows: readonly ReturnType<typeof entryRow>[]) =>
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
        head_sha: row.head_sha,
        merged_sha: row.merged_sha,
        content: row.content,
        event_seqs: row.event_seqs,
      })),
    )
    .onConflict((known) =>
      known.columns(["queue_id", "pr"]).doUpdateSet((update) => ({
        state: update.ref("excluded.state"),
        head_ref: update.ref("excluded.head_ref"),
        submitted_at: update.ref("excluded.submitted_at"),
        ended_at: update.ref("excluded.ended_at"),
        search_text: update.ref("excluded.search_text"),
        head_sha: update.ref("excluded.head_sha"),
        merged_sha: update.ref("excluded.merged_sha"),
        content: update.ref("excluded.content"),
        event_seqs: sql<string>`entries.event_seqs || excluded.event_seqs`,
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

/**
 * Stores the current state of entries, replacing the earlier state for their pull requests, and adds the events to their stories.
 */
export async function putEntries(
  tx: Tx,
  queueId: string,
  entries: readonly Entry[],
  events: readonly Event[],
): Promise<void> {
  const newest = new Map(entries.map((entry) => [entry.pr, entry]));
  const seqs = new Map<number, string>();
  for (const { seq, data } of events)
    for (const pr of entriesOf(data)) seqs.set(pr, `${seqs.get(pr) ?? ""},${seq}`);
  await put.run(
    tx,
    Array.from(newest.values(), (entry) => entryRow(queueId, entry, seqs.get(entry.pr) ?? "")),
  );
}

/** The numbers of the events of a pull request's story, in order. */
export async function eventSeqsOf(db: Database, queueId: string, pr: number): Promise<readonly number[]> {
  const row = await db
    .selectFrom("entries")
    .select("event_seqs")
    .where("queue_id", "=", queueId)
    .where("pr", "=", pr)
    .executeTakeFirst();
  return row?.event_seqs.split(",").slice(1).map(Number) ?? [];
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

/** The commit on the base that an entry merged as; null = it did not. */
export function mergedSha({ state, reason }: Pick<Entry, "state" | "reason">): string | null {
  return state === "merged" && "sha" in reason ? reason.sha : null;
}

function entryRow(queueId: string, entry: Entry, eventSeqs: string) {
  return {
    queue_id: queueId,
    pr: entry.pr,
    state: entry.state,
    head_ref: entry.headRef,
    submitted_at: entry.submittedAt,
    ended_at: isTerminal(entry.state) ? entry.stateChangedAt : null,
    search_text: searchTextOf(entry),
    head_sha: entry.headSha,
    merged_sha: mergedSha(entry),
    // Without targets: they are in the log, and there may be thousands.
    content: JSON.stringify({ ...entry, targets: null }),
    event_seqs: eventSeqs,
  };
}

function parseEntry(queueId: string, row: { pr: number; content: string }): Entry {
  const entry = parseStored<Entry>(row.content, `the entry of #${row.pr} in queue ${queueId}`);
  // Earlier versions stored targets in the entry.
  return { ...entry, targets: null };
}
