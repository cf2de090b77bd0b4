import { inBatches } from "../engine/in-batches.ts";
import type { NamedTest } from "../ports/test-result-store.ts";
import { parseStored } from "./corrupt-row.ts";
import type { Writes } from "./group-commit.ts";
import { inChunks } from "./in-chunks.ts";
import { Prepared } from "./prepared.ts";
import type { Database, Tx } from "./schema.ts";

/** Tests that are added in one transaction: what more would hold up whoever writes meanwhile. */
const addedAtOnce = 250;
const addedBytes = 1_000_000;
const dayMs = 86_400_000;
/** The reason of a status that nothing has changed yet, as it is stored. */
export const nothingKnown = JSON.stringify({ code: "NOTHING_KNOWN" });

/** The numbers of those tests that are known, by id. */
export async function numbersOf(
  db: Database | Tx,
  repositoryId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (const chunk of inChunks(ids)) {
    const rows = await db
      .selectFrom("test_cases")
      .select(["id", "sk"])
      .where("repo_id", "=", repositoryId)
      .where("id", "in", chunk)
      .execute();
    for (const { id, sk } of rows) numbers.set(id, sk);
  }
  return numbers;
}

/** Tests by number. */
export async function namedTests(
  db: Database,
  sks: readonly number[],
): Promise<ReadonlyMap<number, NamedTest & { readonly sk: number }>> {
  const tests = new Map<number, NamedTest & { readonly sk: number }>();
  for (const chunk of inChunks(sks)) {
    const rows = await db
      .selectFrom("test_cases")
      .select(["sk", "id", "name", "parent", "file", "classname", "variant", "codeowners"])
      .where("sk", "in", chunk)
      .execute();
    for (const { codeowners, ...test } of rows) {
      const owners = codeowners && parseStored<readonly string[]>(codeowners, `owners of ${test.id}`);
      tests.set(test.sk, { ...test, owners: owners || null });
    }
  }
  return tests;
}

/** Adds those tests that are not known, and notes that the others were seen today. */
export async function knowTests(
  db: Database,
  writes: Writes,
  repositoryId: number,
  tests: Iterable<NamedTest>,
  at: number,
): Promise<void> {
  const today = at - (at % dayMs);
  const all = new Map<string, NamedTest>();
  for (const test of tests) all.set(test.id, test);
  const unseen: number[] = [];
  for (const chunk of inChunks([...all.keys()])) {
    const known = await db
      .selectFrom("test_cases")
      .select(["id", "sk", "last_seen_at"])
      .where("repo_id", "=", repositoryId)
      .where("id", "in", chunk)
      .execute();
    for (const { id, sk, last_seen_at } of known) {
      all.delete(id);
      if (last_seen_at < today) unseen.push(sk);
    }
  }
  for (const chunk of inChunks(unseen))
    await writes.run((tx) =>
      tx.updateTable("test_cases").set({ last_seen_at: today }).where("sk", "in", chunk).execute(),
    );
  for (const some of inBatches(all.values(), addedAtOnce, { most: addedBytes, of: bytesOf }))
    await writes.run((tx) => addTests(tx, repositoryId, some, at, today));
}

function bytesOf({ name, parent, file, classname, variant }: NamedTest): number {
  const texts = [name, parent, file, classname, variant];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
}

async function addTests(
  tx: Tx,
  repositoryId: number,
  tests: readonly NamedTest[],
  at: number,
  today: number,
): Promise<void> {
  for (const { owners, ...test } of tests)
    await add.run(tx, { repositoryId, ...test, codeowners: owners && JSON.stringify(owners), at, today });
}

type AddedTest = Omit<NamedTest, "owners"> & {
  readonly repositoryId: number;
  readonly codeowners: string | null;
  readonly at: number;
  readonly today: number;
};

const add = new Prepared((db, test: AddedTest) =>
  db
    .insertInto("test_cases")
    .values({
      repo_id: test.repositoryId,
      id: test.id,
      name: test.name,
      parent: test.parent,
      file: test.file,
      classname: test.classname,
      variant: test.variant,
      codeowners: test.codeowners,
      status: "HEALTHY",
      status_reason: nothingKnown,
      status_at: test.at,
      quarantine_mode: "AUTO",
      quarantined: 0,
      first_seen_at: test.at,
      last_seen_at: test.today,
    })
    .onConflict((known) => known.columns(["repo_id", "id"]).doNothing()),
);
