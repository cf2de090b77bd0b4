import { sql } from "kysely";
import { parseStored } from "../../../store/queries/corrupt-row.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { type Evidence, type Flip, listEvidence } from "../../detection/evidence.ts";
import type { TestHistory } from "../../detection/history.ts";
import { day } from "../../detection/settings.ts";
import { detectionSettingsOf } from "../../test-settings.ts";
import { UnreadableEvidence } from "../../unreadable-evidence.ts";
import { readResults } from "../history/damaged-evidence.ts";
import { allNumbers } from "../history/renames.ts";
import { numbersOf } from "../identities/test-ids.ts";
import { settingsOf } from "../quarantines/test-settings-store.ts";
import { testedPullRequest } from "./recent-failures.ts";
import { failuresWithGroups, runsByHour } from "./test-evidence.ts";
import type { DayOutcomes, FailureGroup, JobRun, TestStory, TreeRun } from "./test-records.ts";

const shownDays = 30;
const groupsShown = 20;
const runsOfGroup = 5;
/** The flips whose runs are read, and the runs of each: unpacking one takes about a millisecond. */
const flipsRead = 5;
const runsOfTree = 10;

const jobRun = [
  "test_uploads.id as upload",
  "test_uploads.at",
  "test_uploads.run_id as runId",
  "test_uploads.run_attempt as runAttempt",
  "test_uploads.job",
  "test_uploads.head_sha as headSha",
  "test_uploads.branch",
  "test_uploads.kind",
  "test_uploads.pr",
] as const;

interface KnownRepository {
  readonly id: number;
  readonly quarantining: number;
  readonly settings: string | null;
}

/** Null when the repository has no such test. */
export async function readStory(
  db: Database,
  known: KnownRepository,
  id: string,
  now: number,
): Promise<TestStory | null> {
  const test = await db
    .selectFrom("test_cases")
    .leftJoin("test_issues", "test_sk", "sk")
    .select(["sk", "history", "quarantined", "quarantined_at", "quarantine_expires_at"])
    .select(["quarantine_owner", "quarantine_reason", "number", "url", "is_open"])
    .where("sk", "in", numbersOf(db, known.id, [id.toLowerCase()]))
    .executeTakeFirst();
  if (!test) return null;
  const { sk, history, quarantined_at: since, quarantine_expires_at: expiresAt, number, url } = test;
  const sks = await allNumbers(db, sk);
  const settings = detectionSettingsOf(settingsOf(known));
  const stored = history === null ? null : parseStored<TestHistory>(history, `history of test ${id}`);
  const evidence = stored === null ? [] : listEvidence(stored, settings);
  const quarantine = {
    ...{ since: since ?? 0, expiresAt: expiresAt ?? 0 },
    ...{ owner: test.quarantine_owner, reason: test.quarantine_reason ?? "" },
  };
  const isHeld = known.quarantining === 1 && test.quarantined === 1 && quarantine.expiresAt > now;
  return {
    ...{ evidence, ...(await readOutcomes(db, sks, now)) },
    runsByTree: await readFlippedRuns(db, known.id, sks, evidence),
    issue: number === null || url === null ? null : { number, url, isOpen: test.is_open === 1 },
    quarantine: isHeld ? quarantine : null,
  };
}

/** Reads the daily outcomes of a test in 30 days. A renamed test has several numbers. */
async function readOutcomes(
  db: Database,
  sks: readonly number[],
  now: number,
): Promise<Pick<TestStory, "days" | "failures" | "suspectRuns">> {
  const today = Math.floor(now / day);
  const first = today - shownDays + 1;
  const failed = db
    .selectFrom("test_failures")
    .where("test_sk", "in", sks)
    .where("at", ">=", first * day);
  const { suspectRuns } = await failed
    .select(({ fn }) => fn.count<number>("upload_id").distinct().as("suspectRuns"))
    .where("is_suspect", "=", 1)
    .executeTakeFirstOrThrow();
  const byDay = await failed
    .select(({ fn }) => [
      sql<number>`at / ${sql.lit(day)}`.as("date"),
      "is_final",
      fn.count<number>("upload_id").distinct().as("runs"),
    ])
    .where("is_suspect", "=", 0)
    .groupBy([sql`at / ${sql.lit(day)}`, "is_final"])
    .execute();
  const hours = await runsByHour(db, sks, first, today);
  const days = Array.from({ length: shownDays }, (_, index): DayOutcomes => {
    const date = first + index;
    const of = (isFinal: number) =>
      Number(byDay.find((row) => Number(row.date) === date && row.is_final === isFinal)?.runs ?? 0);
    const [failed, flaky] = [of(1), of(0)];
    const ran = hours.filter(({ hour }) => Math.floor(hour / 24) === date);
    const runs = ran.reduce((sum, one) => sum + one.runs, 0);
    // Failures are stored with their upload, but runs are counted only when it is evaluated.
    return { at: date * day, passed: Math.max(0, runs - failed - flaky), flaky, failed };
  });
  return { days, failures: await failureGroups(db, sks, first * day), suspectRuns: Number(suspectRuns) };
}

async function failureGroups(
  db: Database,
  sks: readonly number[],
  since: number,
): Promise<readonly FailureGroup[]> {
  const groups = await failuresWithGroups(db)
    .select(({ fn }) => [
      "failure.fingerprint",
      fn.max<string>("group.summary").as("summary"),
      fn.min<number>("group.first_at").as("firstAt"),
      fn.max<number>("failure.at").as("lastAt"),
      fn.count<number>("failure.upload_id").distinct().as("count"),
    ])
    .where("failure.test_sk", "in", sks)
    .where("failure.at", ">=", since)
    .where("failure.is_suspect", "=", 0)
    .groupBy("failure.fingerprint")
    .orderBy("count", "desc")
    .orderBy("lastAt", "desc")
    .limit(groupsShown)
    .execute();
  if (groups.length === 0) return [];
  const fingerprints = groups.map(({ fingerprint }) => fingerprint);
  const runs = await latestRuns(db, sks, fingerprints, since);
  return groups.map(({ fingerprint, summary, count, firstAt, lastAt }) => ({
    ...{ summary, count: Number(count), firstAt: Number(firstAt), lastAt: Number(lastAt) },
    runs: runs.filter((run) => run.fingerprint === fingerprint),
  }));
}

/** The latest runs with each fingerprint, newest first. */
async function latestRuns(
  db: Database,
  sks: readonly number[],
  fingerprints: readonly string[],
  since: number,
): Promise<readonly (JobRun & { readonly fingerprint: string })[]> {
  const numbered = db
    .selectFrom("test_failures")
    .select(["fingerprint", "upload_id"])
    .select(sql<number>`row_number() over (partition by fingerprint order by upload_id desc)`.as("position"))
    .where("test_sk", "in", sks)
    .where("at", ">=", since)
    .where("is_suspect", "=", 0)
    .where("fingerprint", "in", fingerprints)
    .groupBy(["fingerprint", "upload_id"]);
  const rows = await db
    .selectFrom(numbered.as("failure"))
    .innerJoin("test_uploads", "test_uploads.id", "failure.upload_id")
    .select([...jobRun, "failure.fingerprint"])
    .where("failure.position", "<=", runsOfGroup)
    .orderBy("test_uploads.id", "desc")
    .execute();
  return rows.map((row) => ({ ...row, pr: testedPullRequest(row) }));
}

/** The runs on the trees of the latest flips in which the test ran, oldest first. */
async function readFlippedRuns(
  db: Database,
  repoId: number,
  sks: readonly number[],
  evidence: readonly Evidence[],
): Promise<TestStory["runsByTree"]> {
  const flips = evidence.filter((one): one is Evidence & Flip => one.code === "FLIPPED");
  const latest = flips.toSorted((a, b) => b.at - a.at).slice(0, flipsRead);
  const found = new Map<string, readonly TreeRun[]>();
  for (const { tree } of latest) {
    const rows = await db
      .selectFrom("test_uploads")
      .select([
        ...jobRun,
        "test_uploads.passed",
        "test_uploads.failed",
        "test_uploads.skipped",
        "test_uploads.results",
      ])
      .where("repo_id", "=", repoId)
      .where("tree_sha", "=", tree)
      .where("is_suspect", "=", 0)
      .orderBy("id", "desc")
      .limit(runsOfTree)
      .execute();
    const runs = rows.flatMap((row) => {
      const { results, passed, failed, skipped, ...run } = row;
      const outcome = outcomeIn({ id: row.upload, results, passed, failed, skipped }, sks);
      return outcome === null ? [] : [{ ...run, pr: testedPullRequest(run), outcome }];
    });
    found.set(tree, runs.reverse());
  }
  return found;
}

function outcomeIn(
  upload: Parameters<typeof readResults>[0],
  sks: readonly number[],
): TreeRun["outcome"] | null {
  try {
    for (const { sk, last, flipped } of readResults(upload)) {
      if (!sks.includes(sk)) continue;
      return last === "skipped" ? null : last === "passed" && flipped ? "flaky" : last;
    }
  } catch (error) {
    if (!(error instanceof UnreadableEvidence)) throw error;
  }
  return null;
}
