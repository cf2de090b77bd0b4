import { parseStored } from "../../../store/queries/corrupt-row.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import { Prepared } from "../../../store/queries/prepared.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import type { StatusReason } from "../../detection/status.ts";
import type { NamedTest } from "../uploads/upload-records.ts";
import { idOf, type StoredId, storedId } from "./test-ids.ts";
import {
  addSuites,
  classColumn,
  fileColumn,
  parentColumn,
  placeTests,
  type SuitePlace,
  selectTests,
} from "./test-suites.ts";

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
    const rows = await selectTests(db)
      .select(["sk", "id", "name", parentColumn, fileColumn, classColumn, "variant", "codeowners"])
      .where("sk", "in", chunk)
      .execute();
    for (const { codeowners, ...test } of rows) {
      const id = idOf(test.id);
      const owners = codeowners && parseStored<readonly string[]>(codeowners, `owners of ${id}`);
      tests.set(test.sk, { ...test, id, owners: owners || null });
    }
  }
  return tests;
}

/** Counts characters instead of bytes, because that is faster. */
export function charactersOf({ name, parent, file, classname, variant }: NamedTest): number {
  const [ofParent, ofFile, ofClass] = [parent?.length ?? 0, file?.length ?? 0, classname?.length ?? 0];
  return name.length + ofParent + ofFile + ofClass + variant.length;
}

/** Tests of a repository, and the number of the first one. Their numbers are consecutive. */
export interface NumberedTests {
  readonly repositoryId: number;
  readonly tests: readonly NamedTest[];
  readonly first: number;
  readonly at: number;
}

/** Inserts tests. Existing ones stay unchanged. */
export async function addTests(tx: Tx, { repositoryId, tests, first, at }: NumberedTests): Promise<void> {
  const today = dayOf(at);
  const placed = placeTests(tests, first);
  await addSuites(tx, placed.suites);
  for (const { sk, id, name, variant, owners, place } of placed.tests)
    await add.run(tx, {
      ...{ repositoryId, sk, id: storedId(id), name, variant, at, today, ...place },
      codeowners: owners && JSON.stringify(owners),
    });
}

export function dayOf(at: number): number {
  return at - (at % dayMs);
}

type AddedTest = SuitePlace & {
  readonly repositoryId: number;
  readonly sk: number;
  readonly id: StoredId;
  readonly name: string;
  readonly variant: string;
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
      in_suite: test.in_suite,
      own_parent: test.own_parent,
      own_file: test.own_file,
      own_classname: test.own_classname,
      is_named_as_class: test.is_named_as_class,
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
