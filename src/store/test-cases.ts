import type { StatusReason } from "../flaky/detection/status.ts";
import type { NamedTest } from "../ports/test-result-store.ts";
import { parseStored } from "./corrupt-row.ts";
import { inChunks } from "./in-chunks.ts";
import { Prepared } from "./prepared.ts";
import type { Database, Tx } from "./schema.ts";

const dayMs = 86_400_000;
/** @param stored null while nothing is known. @throws CorruptRow */
export function reasonOf(stored: string | null, what: string): StatusReason {
  return stored === null ? { code: "NOTHING_KNOWN" } : parseStored<StatusReason>(stored, what);
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

/** Not bytes, which take longer to count. */
export function charactersOf({ name, parent, file, classname, variant }: NamedTest): number {
  const [ofParent, ofFile, ofClass] = [parent?.length ?? 0, file?.length ?? 0, classname?.length ?? 0];
  return name.length + ofParent + ofFile + ofClass + variant.length;
}

/** Tests of a repository, and the number of the first; the others follow it. */
export interface NumberedTests {
  readonly repositoryId: number;
  readonly tests: readonly NamedTest[];
  readonly first: number;
  readonly at: number;
}

/** Inserts tests. Those that are there already are left as they are. */
export async function addTests(tx: Tx, { repositoryId, tests, first, at }: NumberedTests): Promise<void> {
  const today = dayOf(at);
  let sk = first;
  for (const { owners, ...test } of tests) {
    await add.run(tx, {
      ...{ repositoryId, sk, ...test, at, today },
      codeowners: owners && JSON.stringify(owners),
    });
    sk += 1;
  }
}

/** The beginning of its day. */
export function dayOf(at: number): number {
  return at - (at % dayMs);
}

type AddedTest = Omit<NamedTest, "owners"> & {
  readonly repositoryId: number;
  readonly sk: number;
  readonly codeowners: string | null;
  readonly at: number;
  readonly today: number;
};

const add = new Prepared((db, test: AddedTest) =>
  db
    .insertInto("test_cases")
    .values({
      repo_id: test.repositoryId,
      sk: test.sk,
      id: test.id,
      name: test.name,
      parent: test.parent,
      file: test.file,
      classname: test.classname,
      variant: test.variant,
      codeowners: test.codeowners,
      status: "HEALTHY",
      status_reason: null,
      status_at: test.at,
      quarantine_mode: "AUTO",
      quarantined: 0,
      first_seen_at: test.at,
      last_seen_at: test.today,
    })
    .onConflict((known) => known.doNothing()),
);
