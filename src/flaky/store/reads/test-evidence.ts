import { parseStored } from "../../../store/queries/corrupt-row.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import type { TestHistory } from "../../detection/history.ts";
import { day, hour } from "../../detection/settings.ts";
import type { StatusChange } from "../../detection/status.ts";
import { readCounts } from "../history/damaged-evidence.ts";
import { blockOf, hoursOf } from "../packing/packed-days.ts";
import type { CommonFailure, RunCounts, TestDetails } from "./test-records.ts";

const week = 7 * day;
const mostCommon = 5;

/** The status changes that detection has stored. */
export function changesOf(history: string | null, what: string): readonly StatusChange[] {
  return history === null ? [] : parseStored<TestHistory>(history, `history of ${what}`).changes;
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
  const rows = await db
    .selectFrom("test_days")
    .selectAll()
    .where("block", "in", [...new Set(sks.map(blockOf))])
    .where("day", ">=", Math.floor(weekBegins / 24))
    .where("day", "<=", Math.floor(thisHour / 24))
    .execute();
  const hours = rows.flatMap((row) =>
    sks
      .filter((sk) => blockOf(sk) === row.block)
      .flatMap((sk) => hoursOf(readCounts(row), sk))
      .map((count, index) => ({ ...count, hour: row.day * 24 + (index % 24) })),
  );
  const since = (begins: number): RunCounts => {
    const counted = hours.filter((one) => one.hour >= begins && one.hour <= thisHour);
    return {
      runs: counted.reduce((sum, { runs }) => sum + runs, 0),
      failures: counted.reduce((sum, { failures }) => sum + failures, 0),
    };
  };
  return { lastDay: since(dayBegins), lastWeek: since(weekBegins) };
}

export async function commonFailures(
  db: Database,
  sks: readonly number[],
  now: number,
): Promise<readonly CommonFailure[]> {
  const rows = await db
    .selectFrom("test_failures as failure")
    .innerJoin("test_failure_groups as group", (join) =>
      join
        .onRef("group.test_sk", "=", "failure.test_sk")
        .onRef("group.fingerprint", "=", "failure.fingerprint"),
    )
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
  const { count } = await db
    .selectFrom("test_failures")
    .select(({ fn }) => fn.count<number>("pr").distinct().as("count"))
    .where("test_sk", "in", sks)
    .where("at", ">", now - week)
    .where("is_final", "=", 1)
    .where("quarantined", "=", 0)
    .where("is_suspect", "=", 0)
    .executeTakeFirstOrThrow();
  return Number(count);
}
