import { sql } from "kysely";
import { parseStored } from "../../../store/queries/corrupt-row.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import { Prepared } from "../../../store/queries/prepared.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import { quarantineSettingsOf } from "../../test-settings.ts";
import { reasonOf } from "../identities/test-cases.ts";
import { idOf, numbersOf, type StoredId } from "../identities/test-ids.ts";
import {
  classColumn,
  fileColumn,
  parentColumn,
  type Suite,
  type SuitePlace,
  selectTests,
} from "../identities/test-suites.ts";
import type { TestCaseTable } from "../test-schema.ts";
import type { QuarantineCandidate, QuarantineInputs } from "./quarantine-store.ts";
import { settingsOf } from "./test-settings-store.ts";

/** The page size of statements that read only keys. */
const numbersAtOnce = 1_000;
/** The number of tests that one statement counts; it takes some 3 ms. */
const countedAtOnce = 40_000;
/** The page size of statements that read whole rows, whose names may be long. */
const testsAtOnce = 64;

/** Reads everything that a repository's quarantines depend on, and the tests with these ids, in small statements. */
export async function readQuarantineInputs(
  tx: Tx,
  repositoryId: number,
  ids: readonly string[],
  at: number,
): Promise<QuarantineInputs> {
  const repository = await settingsById.first(tx, { repositoryId });
  if (!repository) throw new Error(`there is no repository ${repositoryId}`);
  const candidates = new Map<number, QuarantineCandidate>();
  const cases = selectCases(tx, repositoryId);
  for (const chunk of inChunks(ids, testsAtOnce))
    for (const row of await cases.where("sk", "in", numbersOf(tx, repositoryId, chunk)).execute())
      candidates.set(row.sk, toCandidate(row));
  const others = new Set(await flakyTests(tx, repositoryId));
  for (const sk of await unsettledTests(tx, repositoryId, at)) others.add(sk);
  for (const sk of candidates.keys()) others.delete(sk);
  for (const chunk of inChunks([...others], testsAtOnce))
    for (const row of await cases.where("sk", "in", chunk).execute())
      candidates.set(row.sk, toCandidate(row));
  const settings = quarantineSettingsOf(settingsOf(repository));
  return { candidates: [...candidates.values()], tests: await countTests(tx, repositoryId), settings };
}

async function countTests(tx: Tx, repositoryId: number): Promise<number> {
  let tests = 0;
  for (let after: StoredId = new Uint8Array(); ; ) {
    const counted = Number((await countAhead.first(tx, { repositoryId, after }))?.tests ?? 0);
    tests += counted;
    if (counted < countedAtOnce) return tests;
    const last = await lastCounted.first(tx, { repositoryId, after });
    if (!last) return tests;
    after = last.id;
  }
}

async function flakyTests(tx: Tx, repositoryId: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let after: Place = { sk: 0, at: Number.MIN_SAFE_INTEGER }; ; ) {
    const { rows } = await flakyPage.run(tx, { repositoryId, ...after });
    for (const { sk } of rows) found.push(sk);
    const last = rows.at(-1);
    if (!last || rows.length < numbersAtOnce) return found;
    after = last;
  }
}

/** The tests that detection has quarantined, and those whose quarantine has expired. A person's quarantine lasts until it expires. */
async function unsettledTests(tx: Tx, repositoryId: number, now: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let after: Place = { sk: 0, at: Number.MIN_SAFE_INTEGER }; ; ) {
    const { rows } = await quarantinedPage.run(tx, { repositoryId, ...after });
    for (const { sk, mode, expiresAt } of rows)
      if (mode !== "ALWAYS" || (expiresAt ?? 0) <= now) found.push(sk);
    const last = rows.at(-1);
    if (!last || rows.length < numbersAtOnce) return found;
    after = { sk: last.sk, at: last.since ?? after.at };
  }
}

/** The position of a test in an index. */
interface Place {
  readonly at: number;
  readonly sk: number;
}

const settingsById = new Prepared((db, of: { repositoryId: number }) =>
  db.selectFrom("test_repositories").select(["quarantining", "settings"]).where("id", "=", of.repositoryId),
);

/** The number of tests after an id, up to `countedAtOnce`. */
const countAhead = new Prepared((db, from: Start) =>
  db
    .selectFrom(idsAhead(db, from).limit(countedAtOnce).as("ahead"))
    .select((test) => test.fn.countAll<number>().as("tests")),
);

/** The last of `countedAtOnce` tests after an id. PostgreSQL has no `max` of bytes before version 18. */
const lastCounted = new Prepared((db, from: Start) =>
  idsAhead(db, from)
    .offset(countedAtOnce - 1)
    .limit(1),
);

interface Start {
  readonly repositoryId: number;
  readonly after: StoredId;
}

function idsAhead(db: Database, { repositoryId, after }: Start) {
  return db
    .selectFrom("test_ids")
    .select("id")
    .where("repo_id", "=", repositoryId)
    .where("id", ">", after)
    .orderBy("id");
}

const flakyPage = new Prepared((db, after: Place & { repositoryId: number }) =>
  db
    .selectFrom("test_cases")
    .select(["sk", "status_at as at"])
    .where("repo_id", "=", after.repositoryId)
    .where("status", "=", "FLAKY")
    // Implied by the line above, but SQLite needs it to choose the index of unhealthy tests.
    .where(sql<boolean>`status != 'HEALTHY'`)
    .where(({ eb, refTuple, tuple }) => eb(refTuple("status_at", "sk"), ">", tuple(after.at, after.sk)))
    .orderBy("status_at")
    .orderBy("sk")
    .limit(numbersAtOnce),
);

const quarantinedPage = new Prepared((db, after: Place & { repositoryId: number }) =>
  db
    .selectFrom("test_cases")
    .select([
      "sk",
      "quarantined_at as since",
      "quarantine_mode as mode",
      "quarantine_expires_at as expiresAt",
    ])
    .where("repo_id", "=", after.repositoryId)
    .where((test) => test("quarantined", "=", test.lit(1)))
    .where(({ eb, refTuple, tuple }) => eb(refTuple("quarantined_at", "sk"), ">", tuple(after.at, after.sk)))
    .orderBy("quarantined_at")
    .orderBy("sk")
    .limit(numbersAtOnce),
);

/** The rows of a repository's tests, with the columns that concern quarantines. */
export function selectCases(db: Database | Tx, repositoryId: number) {
  return selectTests(db)
    .select(["sk", "id", "name", parentColumn, fileColumn, classColumn, "variant", "codeowners", "status"])
    .select(["status_at", "status_reason", "quarantine_mode", "quarantined", "quarantined_at"])
    .select(["quarantine_expires_at", "quarantine_owner", "quarantine_reason", "ticket_url", "proven_at"])
    .where("repo_id", "=", repositoryId);
}

type CaseRow = Omit<
  TestCaseTable,
  "sk" | "repo_id" | "history" | "flaky_places" | "first_seen_at" | "last_seen_at" | keyof SuitePlace
> &
  Suite & { readonly sk: number };

export function toCandidate(row: CaseRow): QuarantineCandidate {
  const { sk, name, parent, file, classname, variant } = row;
  const reason = reasonOf(row.status_reason, `the status of test ${sk}`);
  const since = row.quarantined_at;
  return {
    ...{ sk, id: idOf(row.id), name, parent, file, classname, variant },
    mode: row.quarantine_mode,
    status: { status: row.status, at: row.status_at, reason },
    provenAt: row.proven_at,
    isQuarantined: row.quarantined === 1,
    quarantine:
      since === null
        ? null
        : {
            since,
            expiresAt: row.quarantine_expires_at ?? since,
            owner: row.quarantine_owner,
            reason: row.quarantine_reason ?? "",
          },
    owners:
      row.codeowners === null ? null : parseStored<string[]>(row.codeowners, `the owners of test ${sk}`),
    ticketUrl: row.ticket_url,
  };
}

/**
 * Requests the planning of some repositories' quarantines, in the transaction of the cause, because the process may be killed before it
 * plans.
 */
export async function haveQuarantinesPlanned(
  tx: Tx,
  repositoryIds: ReadonlySet<number>,
  at: number,
): Promise<void> {
  await tx
    .updateTable("test_repositories")
    .set({ unplanned_since: at })
    .where("id", "in", [...repositoryIds])
    .where("unplanned_since", "is", null)
    .execute();
}
