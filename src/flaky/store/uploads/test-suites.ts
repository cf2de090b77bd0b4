import { sql } from "kysely";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import { Prepared } from "../../../store/queries/prepared.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";

/**
 * The maximum number of tests inserted at once. A suite has the number of its first test. The numbers of all
 * its tests are less than this distance above it.
 */
export const mostOfSuite = 1_000;

/** The names that several tests share. */
export interface Suite {
  readonly parent: string | null;
  readonly file: string | null;
  readonly classname: string | null;
}

/** The rows of tests, joined with their suites. */
export function selectTests(db: Database | Tx) {
  return db.selectFrom("test_cases").leftJoin("test_suites", "suite_sk", "in_suite");
}

/** Expressions on `selectTests`. */
export const suite = {
  parent: sql<string | null>`coalesce(own_parent, common_parent)`,
  file: sql<string | null>`coalesce(own_file, common_file)`,
  classname: sql<
    string | null
  >`case when is_named_as_class = 1 then test_cases.name else coalesce(own_classname, common_classname) end`,
};
/** Columns of `selectTests`. */
export const parentColumn = suite.parent.as("parent");
export const fileColumn = suite.file.as("file");
export const classColumn = suite.classname.as("classname");

/** Inserts suites by the numbers of their first tests. Existing ones stay unchanged. */
export async function addSuites(tx: Tx, suites: ReadonlyMap<number, Suite>): Promise<void> {
  for (const [sk, { parent, file, classname }] of suites) await add.run(tx, { sk, parent, file, classname });
}

const add = new Prepared((db, of: Suite & { readonly sk: number }) =>
  db
    .insertInto("test_suites")
    .values({
      suite_sk: of.sk,
      common_parent: of.parent,
      common_file: of.file,
      common_classname: of.classname,
    })
    .onConflict((known) => known.doNothing()),
);

/** Deletes the suites, of these, that have no tests any more. */
export async function forgetSuites(tx: Tx, suites: readonly number[]): Promise<void> {
  for (const chunk of inChunks(suites))
    await tx
      .deleteFrom("test_suites")
      .where("suite_sk", "in", chunk)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("test_cases")
              .select("sk")
              .whereRef("sk", ">=", "suite_sk")
              .where(sql<boolean>`sk < suite_sk + ${sql.lit(mostOfSuite)}`)
              .whereRef("in_suite", "=", "suite_sk"),
          ),
        ),
      )
      .execute();
}
