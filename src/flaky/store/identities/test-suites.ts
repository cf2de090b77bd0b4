import { type SelectQueryBuilder, sql } from "kysely";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import { Prepared } from "../../../store/queries/prepared.ts";
import type { Database, Schema, Tx } from "../../../store/sqlite/schema.ts";
import type { NamedTest } from "../uploads/upload-records.ts";

/**
 * The maximum number of tests inserted at once. A suite has the number of its first test, and the numbers of all its tests are greater by
 * less than this.
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
  return withSuites(db.selectFrom("test_cases"));
}

export function withSuites<Row>(tests: SelectQueryBuilder<Schema, "test_cases", Row>) {
  return tests.leftJoin("test_suites", "suite_sk", "in_suite");
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

/** Deletes those of these suites that have no tests any more. */
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

/** The suite, file and class in a test's own row. A null value is stored in the row of its suite, if the test has one. */
export interface SuitePlace {
  readonly in_suite: number | null;
  readonly own_parent: string | null;
  readonly own_file: string | null;
  readonly own_classname: string | null;
  readonly is_named_as_class: number;
}

export interface PlacedTests {
  /** By the number of the first test. */
  readonly suites: ReadonlyMap<number, Suite>;
  readonly tests: readonly (NamedTest & { readonly sk: number; readonly place: SuitePlace })[];
}

/**
 * Determines the suites of tests that are inserted together. A class of only one test is stored with the test, and so are all names of a
 * suite with one test. jest-junit gives each test its own class, with the test's name by default. The same tests always give the same
 * result.
 *
 * @param first the number of the first test; the numbers are consecutive
 */
export function placeTests(tests: readonly NamedTest[], first: number): PlacedTests {
  const named = tests.map((test, index) => {
    const { parent, file, name } = test;
    const is_named_as_class = test.classname === name ? 1 : 0;
    const own: Suite = { parent, file, classname: is_named_as_class === 1 ? null : test.classname };
    return { test, sk: first + index, own, key: keyOf(own), is_named_as_class };
  });
  const alike = sizesOf(named);
  const inSuites = named.map((one) => {
    if (one.own.classname === null || alike.get(one.key) !== 1) return { ...one, suite: one.own };
    const suite: Suite = { ...one.own, classname: null };
    return { ...one, suite, key: keyOf(suite) };
  });
  const members = sizesOf(inSuites);
  const numbers = new Map<string, number | null>([[keyOfNone, null]]);
  const suites = new Map<number, Suite>();
  const placed = inSuites.map(({ test, sk, own, suite, key, is_named_as_class }) => {
    if (!numbers.has(key)) {
      const isOfOne = members.get(key) === 1;
      numbers.set(key, isOfOne ? null : sk);
      if (!isOfOne) suites.set(sk, suite);
    }
    const in_suite = numbers.get(key) ?? null;
    const common = in_suite === null ? noSuite : suite;
    const place: SuitePlace = {
      in_suite,
      own_parent: without(own.parent, common.parent),
      own_file: without(own.file, common.file),
      own_classname: without(own.classname, common.classname),
      is_named_as_class,
    };
    return { ...test, sk, place };
  });
  return { suites, tests: placed };
}

const noSuite: Suite = { parent: null, file: null, classname: null };

function keyOf({ parent, file, classname }: Suite): string {
  return JSON.stringify([parent, file, classname]);
}

const keyOfNone = keyOf(noSuite);

function without(own: string | null, common: string | null): string | null {
  return own === common ? null : own;
}

function sizesOf(tests: readonly { readonly key: string }[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { key } of tests) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  return sizes;
}
