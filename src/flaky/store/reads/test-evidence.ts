import { parseStored } from "../../../store/queries/corrupt-row.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import type { TestHistory } from "../../detection/history.ts";
import { day, hour } from "../../detection/settings.ts";
import type { StatusChange } from "../../detection/status.ts";
import { readCounts } from "../history/damaged-evidence.ts";
import { formerNumbers } from "../history/renames.ts";
import { blockOf, hoursOf } from "../packing/packed-days.ts";
import { testedPullRequest } from "./recent-failures.ts";
import type { CommonFailure, RunCounts, TestDetails } from "./test-records.ts";

const week = 7 * day;
const mostCommon = 5;

/** The status changes that detection has stored. */
export function changesOf(history: string | null, what: string): readonly StatusChange[] {
  return history === null ? [] : parseStored<TestHistory>(history, `history of ${what}`).changes;
}

/** The runs of a test in an hour since the epoch. */
export interface HourRuns extends RunCounts {
  readonly sk: number;
  readonly hour: number;
}

/** How often tests ran and failed in each hour from one day to another, both inclusive. Hours without runs are left out. */
export async function runsByHour(
  db: Database,
  sks: readonly number[],
  fromDay: number,
  toDay: number,
): Promise<readonly HourRuns[]> {
  const byBlock = Map.groupBy(sks, blockOf);
  const found: HourRuns[] = [];
  for (const chunk of inChunks([...byBlock.keys()])) {
    const rows = await db
      .selectFrom("test_days")
      .selectAll()
      .where("block", "in", chunk)
      .where("day", ">=", fromDay)
      .where("day", "<=", toDay)
      .execute();
    for (const row of rows) {
      const counts = readCounts(row);
      for (const sk of byBlock.get(row.block) ?? [])
        for (const [index, count] of hoursOf(counts, sk).entries())
          if (count.runs > 0) found.push({ sk, hour: row.day * 24 + index, ...count });
    }
  }
  return found;
}

/**
 * How often a test ran and failed, by whole hours including the current one. A renamed test has several
 * numbers.
 */
export async function countRuns(
  db: Database,
  sks: readonly number[],
  now: number,
): Promise<Pick<TestDetails, "lastDay" | "lastWeek">> {
  const thisHour = Math.floor(now / hour);
  const [dayBegins, weekBegins] = [thisHour - 23, thisHour - 7 * 24 + 1];
  const hours = await runsByHour(db, sks, Math.floor(weekBegins / 24), Math.floor(thisHour / 24));
  const since = (begins: number) =>
    sumRuns(hours.filter((one) => one.hour >= begins && one.hour <= thisHour));
  return { lastDay: since(dayBegins), lastWeek: since(weekBegins) };
}

/** How often tests ran and failed in the current hour and the 167 before it, by number, also under retired names. */
export async function runsOfWeek(
  db: Database,
  sks: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, RunCounts>> {
  const former = await formerNumbers(db, sks);
  const namesOf = (sk: number) => [sk, ...(former.get(sk) ?? [])];
  const to = Math.floor(now / hour);
  const from = to - 7 * 24 + 1;
  const days = [Math.floor(from / 24), Math.floor(to / 24)] as const;
  const hours = await runsByHour(db, sks.flatMap(namesOf), ...days);
  const byTest = Map.groupBy(
    hours.filter((one) => one.hour >= from && one.hour <= to),
    ({ sk }) => sk,
  );
  return new Map(sks.map((sk) => [sk, sumRuns(namesOf(sk).flatMap((one) => byTest.get(one) ?? []))]));
}

function sumRuns(counts: readonly RunCounts[]): RunCounts {
  return {
    runs: counts.reduce((sum, { runs }) => sum + runs, 0),
    failures: counts.reduce((sum, { failures }) => sum + failures, 0),
  };
}

/** Failures, each with the group of similar ones that it belongs to. */
export function failuresWithGroups(db: Database) {
  return db
    .selectFrom("test_failures as failure")
    .innerJoin("test_failure_groups as group", (join) =>
      join
        .onRef("group.test_sk", "=", "failure.test_sk")
        .onRef("group.fingerprint", "=", "failure.fingerprint"),
    );
}

export async function commonFailures(
  db: Database,
  sks: readonly number[],
  now: number,
): Promise<readonly CommonFailure[]> {
  const rows = await failuresWithGroups(db)
    .select(({ fn }) => [
      "group.summary",
      fn.countAll<number>().as("count"),
      fn.max<number>("failure.at").as("lastAt"),
    ])
    .where("failure.test_sk", "in", sks)
    .where("failure.at", ">", now - week)
    .where("failure.is_suspect", "=", 0)
    .groupBy(["failure.fingerprint", "group.summary"])
    .orderBy("count", "desc")
    .orderBy("lastAt", "desc")
    .limit(mostCommon)
    .execute();
  return rows.map(({ summary, count, lastAt }) => ({
    summary,
    count: Number(count),
    lastAt: Number(lastAt),
  }));
}

export async function countPullRequests(db: Database, sks: readonly number[], now: number): Promise<number> {
  const tested = await db
    .selectFrom("test_failures as failure")
    .leftJoin("test_uploads as upload", (join) =>
      join.onRef("upload.id", "=", "failure.upload_id").on("failure.kind", "=", "queue"),
    )
    .select(({ fn, val }) => ["failure.kind", "failure.pr", fn.coalesce("branch", val("")).as("branch")])
    .distinct()
    .where("test_sk", "in", sks)
    .where("failure.at", ">", now - week)
    .where("is_final", "=", 1)
    .where("quarantined", "=", 0)
    .where("failure.is_suspect", "=", 0)
    .execute();
  return new Set(tested.flatMap((row) => testedPullRequest(row) ?? [])).size;
}
