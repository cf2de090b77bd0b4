import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { storedId } from "../src/flaky/store/identities/test-ids.ts";
import { NumberSet } from "../src/flaky/store/packing/number-set.ts";
import { bytesPerTest, testsPerBlock } from "../src/flaky/store/packing/packed-days.ts";
import { openStore } from "../src/store/sqlite/open-store.ts";

export interface KnownTests {
  /** The ids of the tests. Every hundredth one fails often. */
  readonly ids: readonly string[];
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const kindsOfFailures = 12;

/**
 * Fills a database as after weeks of work. It has `count` tests. Each ran every hour of nine days, on two kinds of branches.
 * A tenth of them is quarantined. On average each failed five times in a week, but a few tests have most of these failures.
 */
export async function fillTests(path: string, repoKey: string, count: number): Promise<KnownTests> {
  await (await openStore(`sqlite:${path}`)).close();
  const db = new DatabaseSync(path);
  const now = Date.now();
  const ids = Array.from({ length: count }, (_, index) => idOf(index));
  db.exec("begin");
  const [host = "", owner = "", name = ""] = repoKey.split("/");
  const added = db
    .prepare("insert into test_repositories (host, owner, name, repo_key) values (?, ?, ?, ?) returning id")
    .get(host, owner, name, repoKey) as { id: number };
  const addTest = db.prepare(
    `insert into test_cases (repo_id, id, name, own_parent, own_file, own_classname, variant, codeowners, status, status_reason, status_at,
       quarantine_mode, quarantined, quarantined_at, quarantine_expires_at, first_seen_at, last_seen_at)
     values (?, ?, ?, 'suite', ?, 'class', '', '["@acme/widgets"]', ?, ?, ?, 'AUTO', ?, ?, ?, ?, ?) returning sk`,
  );
  const addId = db.prepare("insert into test_ids (repo_id, id, test_sk) values (?, ?, ?)");
  const reason = JSON.stringify({ code: "FAILS_NOW_AND_THEN", streaks: 3 });
  const numbers = ids.map((id, index) => {
    const isFlaky = index % 10 === 0;
    const since = now - (index % 1_000) * 60_000;
    const { sk } = addTest.get(
      ...[added.id, storedId(id), `test ${index}`, `src/part-${index % 500}/widget.test.ts`],
      ...[isFlaky ? "FLAKY" : "HEALTHY", isFlaky ? reason : null, since, isFlaky ? 1 : 0],
      ...(isFlaky ? [since, now + 30 * dayMs] : [null, null]),
      ...[now - 40 * dayMs, now],
    ) as { sk: number };
    addId.run(added.id, storedId(id), sk);
    return sk;
  });
  db.exec("update test_numbers set last = (select max(sk) from test_cases)");
  addFailures(db, added.id, numbers, now);
  addDays(db, Math.max(...numbers), now);
  db.exec("commit");
  db.exec("pragma wal_checkpoint(truncate)");
  db.close();
  return { ids };
}

function idOf(index: number): string {
  const hex = createHash("sha1").update(`test ${index}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function addFailures(db: DatabaseSync, repository: number, numbers: readonly number[], now: number): void {
  const addFailure = db.prepare(
    `insert into test_failures (test_sk, at, upload_id, attempt, repo_id, kind, pr, is_final, quarantined, is_suspect, fingerprint)
     values (?, ?, ?, 1, ?, 'pr', ?, 1, 0, 0, ?)`,
  );
  const addGroup = db.prepare(
    "insert into test_failure_groups (test_sk, fingerprint, version, summary, first_at, last_at) values (?, ?, 1, ?, 0, 0)",
  );
  const hours = new Map<number, NumberSet>();
  let upload = 0;
  for (const [index, sk] of numbers.entries()) {
    // One of a hundred tests has 300 failures. The other 99 have about 200 together.
    const failures = index % 100 === 0 ? 300 : 2;
    for (let kind = 0; kind < Math.min(failures, kindsOfFailures); kind++)
      addGroup.run(sk, String(kind).padStart(16, "0"), `timeout of % ms exceeded (${kind})`);
    for (let failure = 0; failure < failures; failure++) {
      upload += 1;
      const at = now - ((upload * 7_919_111) % (7 * dayMs));
      const hour = Math.floor(at / hourMs);
      const failing = hours.get(hour) ?? new NumberSet();
      hours.set(hour, failing);
      failing.add(sk);
      addFailure.run(
        sk,
        at,
        upload,
        repository,
        upload % 900,
        String(failure % kindsOfFailures).padStart(16, "0"),
      );
    }
  }
  const addHour = db.prepare("insert into test_failing_hours (repo_id, hour, tests) values (?, ?, ?)");
  for (const [hour, failing] of hours) addHour.run(repository, hour, failing.packed());
}

function addDays(db: DatabaseSync, last: number, now: number): void {
  const counts = new Uint8Array(testsPerBlock * bytesPerTest);
  const view = new DataView(counts.buffer);
  for (let at = 0; at < counts.length; at += 4) view.setUint16(at, 12, true);
  const addDay = db.prepare("insert into test_days (block, day, kind, counts) values (?, ?, ?, ?)");
  const today = Math.floor(now / dayMs);
  for (let block = 0; block <= Math.floor(last / testsPerBlock); block++)
    for (let day = today - 8; day <= today; day++)
      for (const kind of ["pr", "stable"]) addDay.run(block, day, kind, counts);
}
