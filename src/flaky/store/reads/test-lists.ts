import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database, Schema } from "../../../store/sqlite/schema.ts";
import { selectTests, suite, withSuites } from "../identities/test-suites.ts";
import type { Place, TestList, TestSearch } from "./test-records.ts";

/** The lists that have an index in their order. */
export type OrderedList = Exclude<TestList, { kind: "failing" }>;

/**
 * The tests of a list, unordered and without their suites. Joining the suites would make a count of 10,000 tests take 10 ms instead of 0.5:
 * SQLite does not drop an unused join if there is an `exists` beside it.
 */
export function testsOf(db: Database, repoId: number, list: OrderedList, now: number) {
  switch (list.kind) {
    case "quarantined":
      return (
        db
          .selectFrom("test_cases")
          .where("repo_id", "=", repoId)
          // A literal, so that the partial index of quarantined tests is used.
          .where("quarantined", "=", sql.lit(1))
          .where("quarantine_expires_at", ">", now)
          .where(({ exists, selectFrom, lit }) =>
            exists(
              selectFrom("test_repositories")
                .select(lit(1).as("one"))
                .where("id", "=", repoId)
                .where("quarantining", "=", 1),
            ),
          )
      );
    case "unhealthy": {
      const all = db
        .selectFrom("test_cases")
        .where("repo_id", "=", repoId)
        .where("status", "!=", sql.lit<"HEALTHY">("HEALTHY"));
      return list.status === null ? all : all.where("status", "=", list.status);
    }
  }
}

type Row = ExpressionBuilder<Schema, "test_cases">;

export function timeColumnOf({ kind }: OrderedList): "quarantined_at" | "status_at" {
  return kind === "quarantined" ? "quarantined_at" : "status_at";
}

export function afterOrBefore(list: OrderedList, direction: "after" | "before", { at, key }: Place) {
  const operator = direction === "after" ? "<" : ">";
  return ({ eb, refTuple, tuple }: Row) => eb(refTuple(timeColumnOf(list), "sk"), operator, tuple(at, key));
}

/** The range of test numbers that one statement searches; each takes a few milliseconds. */
const lookedThrough = 5_000;

/** A test that matches a search. */
export interface Match {
  readonly sk: number;
  /** When it got its status. */
  readonly at: number;
}

/** At most `limit` matching tests. If more match, those of `failing` come first, then those that were added last. */
export async function searchTests(
  db: Database,
  repoId: number,
  search: TestSearch,
  {
    limit,
    now,
    failing,
  }: { readonly limit: number; readonly now: number; readonly failing: readonly number[] },
): Promise<readonly Match[]> {
  const tests = matching(db, repoId, search, now);
  const byNumber = tests.orderBy("sk", "desc");
  const latest: Match[] = [];
  if (search.state !== "any") latest.push(...(await byNumber.limit(limit).execute()));
  else
    for (
      let until = await numberAbove(db, repoId);
      until > 0 && latest.length < limit;
      until -= lookedThrough
    ) {
      const some = byNumber.where("sk", ">=", until - lookedThrough).where("sk", "<", until);
      latest.push(...(await some.limit(limit - latest.length).execute()));
    }
  if (latest.length < limit) return latest;
  const found = new Map<number, Match>();
  for (const chunk of inChunks(failing)) {
    const matches = new Map(
      (await tests.where("sk", "in", chunk).execute()).map((match) => [match.sk, match]),
    );
    for (const sk of chunk) {
      const match = matches.get(sk);
      if (match) found.set(sk, match);
    }
    if (found.size >= limit) break;
  }
  for (const match of latest) found.set(match.sk, match);
  return [...found.values()].slice(0, limit);
}

function matching(
  db: Database,
  repoId: number,
  { text, owner, suite: inSuite, state }: TestSearch,
  now: number,
) {
  let tests = listed(db, repoId, state, now).select(["sk", "status_at as at"]);
  const { parent, file, classname } = suite;
  const place = sql`coalesce(${file}, '') || ' ' || coalesce(${parent}, '') || ' ' || coalesce(${classname}, '')`;
  if (text !== "") tests = tests.where(contains(sql`lower(name || ' ' || ${place})`, text));
  if (inSuite !== "") tests = tests.where(contains(sql`lower(${place})`, inSuite));
  if (owner !== "")
    // JSON lists contain texts in quotes.
    tests = tests.where(contains(sql`lower(codeowners)`, JSON.stringify(owner)));
  return tests;
}

function listed(db: Database, repoId: number, state: TestSearch["state"], now: number) {
  switch (state) {
    case "any":
      return selectTests(db).where("repo_id", "=", repoId);
    case "quarantined":
      return withSuites(testsOf(db, repoId, { kind: "quarantined" }, now));
    case "unhealthy":
      return withSuites(testsOf(db, repoId, { kind: "unhealthy", status: null }, now));
    case "flaky":
      return withSuites(testsOf(db, repoId, { kind: "unhealthy", status: "FLAKY" }, now));
    case "broken":
      return withSuites(testsOf(db, repoId, { kind: "unhealthy", status: "BROKEN" }, now));
  }
}

/** Whether a text in lower case contains another one, ignoring the case of ASCII letters. */
function contains(lowered: RawBuilder<unknown>, text: string) {
  const pattern = `%${text.replaceAll(/[!%_]/g, "!$&")}%`;
  return sql<boolean>`${lowered} like lower(${pattern}) escape '!'`;
}

async function numberAbove(db: Database, repoId: number): Promise<number> {
  const { last } = await db
    .selectFrom("test_ids")
    .select((test) => test.fn.max<number | null>("test_sk").as("last"))
    .where("repo_id", "=", repoId)
    .executeTakeFirstOrThrow();
  return last === null ? 0 : last + 1;
}
