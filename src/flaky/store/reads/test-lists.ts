import { type ExpressionBuilder, sql } from "kysely";
import type { Database, Schema } from "../../../store/sqlite/schema.ts";
import { selectTests } from "../uploads/test-suites.ts";
import type { Place, TestList } from "./stored-test-reads.ts";

/** The lists that have an index in their order. */
export type OrderedList = Exclude<TestList, { kind: "failing" }>;

/** The tests of a list, unordered. */
export function testsOf(db: Database, repoId: number, list: OrderedList, now: number) {
  switch (list.kind) {
    case "quarantined":
      return (
        selectTests(db)
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
      const all = selectTests(db)
        .where("repo_id", "=", repoId)
        .where("status", "!=", sql.lit<"HEALTHY">("HEALTHY"));
      return list.status === null ? all : all.where("status", "=", list.status);
    }
  }
}

type Row = ExpressionBuilder<Schema, "test_cases">;

/** The time column by which a list is ordered. */
export function timeColumnOf({ kind }: OrderedList): "quarantined_at" | "status_at" {
  return kind === "quarantined" ? "quarantined_at" : "status_at";
}

/** Whether a row is after a place, or before it. */
export function standing(list: OrderedList, direction: "after" | "before", { at, key }: Place) {
  const operator = direction === "after" ? "<" : ">";
  return ({ eb, refTuple, tuple }: Row) => eb(refTuple(timeColumnOf(list), "sk"), operator, tuple(at, key));
}
