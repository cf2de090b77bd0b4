import { inBatches } from "../../../engine/collections/in-batches.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import { idOf } from "../identities/test-ids.ts";
import { parentColumn, selectTests } from "../identities/test-suites.ts";

export interface TestRename {
  readonly repositoryId: number;
  /** The test's numbers under its earlier name and under its new name. */
  readonly from: number;
  readonly to: number;
  readonly uploadId: number;
  readonly at: number;
  /** Whether no stable branch reports the earlier name any more. */
  readonly isRetired: boolean;
}

/** The maximum number of successive renames of one test to follow. */
const mostFollowed = 5;

/**
 * The numbers of tests under earlier names that no stable branch reports any more. Tests without such names
 * are left out.
 */
export async function formerNumbers(
  db: Database | Tx,
  sks: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  return await follow(db, sks, { by: "to_sk", next: "from_sk" });
}

/** The number of a test and those under its earlier names. */
export async function allNumbers(db: Database, sk: number): Promise<readonly number[]> {
  return [sk, ...((await formerNumbers(db, [sk])).get(sk) ?? [])];
}

/** The numbers of tests under newer names, the newest name last. Tests without such names are left out. */
export async function newerNumbers(
  db: Database,
  sks: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  return await follow(db, sks, { by: "from_sk", next: "to_sk" });
}

interface Direction {
  readonly by: "from_sk" | "to_sk";
  readonly next: "from_sk" | "to_sk";
}

async function follow(
  db: Database | Tx,
  sks: readonly number[],
  { by, next }: Direction,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, readonly number[]>();
  /** The numbers that the last step found, and the tests to which they belong. */
  let last = new Map(sks.map((sk) => [sk, sk]));
  for (let followed = 0; followed < mostFollowed && last.size > 0; followed += 1) {
    const reached = new Map<number, number>();
    for (const chunk of inChunks([...last.keys()])) {
      const rows = await db
        .selectFrom("test_renames")
        .select([`${by} as one`, `${next} as other`])
        .where(by, "in", chunk)
        .where("is_retired", "=", 1)
        .orderBy("at")
        .execute();
      for (const { one, other } of rows) {
        const sk = last.get(one) ?? one;
        const numbers = found.get(sk) ?? [];
        if (other === sk || numbers.includes(other)) continue;
        found.set(sk, [...numbers, other]);
        reached.set(other, sk);
      }
    }
    last = reached;
  }
  return found;
}

/** The earlier name of a test; null when none is known. */
export async function formerName(db: Database, sk: number): Promise<string | null> {
  const rename = await db
    .selectFrom("test_renames")
    .select("from_name")
    .where("to_sk", "=", sk)
    .executeTakeFirst();
  return rename?.from_name ?? null;
}

/** The number of rows per insert statement. */
const insertedAtOnce = 64;

/**
 * Copies the state of tests to their new names, and stores the earlier names. Renaming a suite renames many
 * tests, and most of them have no state, so they need no statement of their own.
 */
export async function applyRenames(tx: Tx, renames: readonly TestRename[]): Promise<void> {
  const tests = await readTests(
    tx,
    renames.flatMap(({ from, to }) => [from, to]),
  );
  const known = renames.flatMap((rename) => {
    const [before, after] = [tests.get(rename.from), tests.get(rename.to)];
    return before && after ? [{ ...rename, before, after }] : [];
  });
  for (const some of inBatches(known, insertedAtOnce)) await noteNames(tx, some);
  for (const { before, after, at, isRetired } of known) {
    if (!isDecided(before)) continue;
    await copyQuarantine(tx, before, after);
    if (!isRetired) continue;
    await moveIssue(tx, before.sk, after);
    await retire(tx, before.sk, at);
  }
}

async function readTests(tx: Tx, sks: readonly number[]): Promise<ReadonlyMap<number, NamedRow>> {
  const found = new Map<number, NamedRow>();
  for (const chunk of inChunks(sks)) for (const row of await readSome(tx, chunk)) found.set(row.sk, row);
  return found;
}

function readSome(tx: Tx, sks: readonly number[]) {
  return selectTests(tx)
    .select(["sk", "id", "name", parentColumn, "quarantine_mode", "quarantined", "quarantined_at"])
    .select(["quarantine_expires_at", "quarantine_owner", "quarantine_reason", "ticket_url"])
    .select((test) => test("history", "is not", null).as("has_history"))
    .where("sk", "in", sks)
    .execute();
}

type NamedRow = Awaited<ReturnType<typeof readSome>>[number];

interface KnownRename extends TestRename {
  readonly before: NamedRow;
  readonly after: NamedRow;
}

async function noteNames(tx: Tx, renames: readonly KnownRename[]): Promise<void> {
  const rows = renames.map(({ from, to, repositoryId, uploadId, at, isRetired, before }) => ({
    ...{ to_sk: to, from_sk: from, repo_id: repositoryId, upload_id: uploadId, at },
    ...{ from_name: before.name, from_parent: before.parent, is_retired: isRetired ? 1 : 0 },
  }));
  await tx
    .insertInto("test_renames")
    .values(rows)
    .onConflict((known) =>
      known.column("to_sk").doUpdateSet(({ ref }) => ({
        from_sk: ref("excluded.from_sk"),
        from_name: ref("excluded.from_name"),
        from_parent: ref("excluded.from_parent"),
        is_retired: ref("excluded.is_retired"),
        upload_id: ref("excluded.upload_id"),
        at: ref("excluded.at"),
      })),
    )
    .execute();
}

function isDecided({ has_history, quarantine_mode, quarantined_at, ticket_url }: NamedRow): boolean {
  return Boolean(has_history) || quarantine_mode !== "AUTO" || quarantined_at !== null || ticket_url !== null;
}

/** Copies the mode and quarantine, unless the new name already has some. */
async function copyQuarantine(tx: Tx, before: NamedRow, after: NamedRow): Promise<void> {
  const { quarantine_mode, quarantined, quarantined_at, quarantine_expires_at } = before;
  const { quarantine_owner, quarantine_reason } = before;
  const quarantine = { quarantine_mode, quarantined, quarantined_at, quarantine_expires_at };
  const isFree = after.quarantine_mode === "AUTO" && after.quarantined === 0;
  await tx
    .updateTable("test_cases")
    .set({
      ...(isFree ? { ...quarantine, quarantine_owner, quarantine_reason } : {}),
      ticket_url: after.ticket_url ?? before.ticket_url,
    })
    .where("sk", "=", after.sk)
    .execute();
}

/** Moves the issue to the new name. An issue that is being written stays with the earlier name, and is closed there. */
async function moveIssue(tx: Tx, from: number, to: NamedRow): Promise<void> {
  await tx
    .updateTable("test_issues")
    .set({ test_sk: to.sk, test_id: idOf(to.id) })
    .where("test_sk", "=", from)
    .where("due_at", "is", null)
    .where("tried_at", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("test_issues as known").select("test_sk").where("test_sk", "=", to.sk))),
    )
    .execute();
}

/** Clears all state of an earlier name, so that its row is deleted when the name has not run for long. */
async function retire(tx: Tx, sk: number, at: number): Promise<void> {
  await tx
    .updateTable("test_cases")
    .set({ history: null, status: "HEALTHY", status_reason: null, status_at: at, proven_at: null })
    .set({ flaky_places: null, quarantine_mode: "AUTO", quarantined: 0, quarantined_at: null })
    .set({ quarantine_expires_at: null, quarantine_owner: null, quarantine_reason: null, ticket_url: null })
    .where("sk", "=", sk)
    .execute();
}
