import { type ExpressionBuilder, sql } from "kysely";
import type { Place, TestList } from "../ports/test-reads.ts";
import type { Database, Schema } from "./schema.ts";

/** The tests of a list, without order, with the time and the key of their places. */
export function testsOf(db: Database, repoId: number, list: TestList, now: number) {
  switch (list.kind) {
    case "quarantined":
      return (
        db
          .selectFrom("test_cases")
          .where("repo_id", "=", repoId)
          // As a literal, so that the index of just these is used.
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
    case "failing":
      return db.selectFrom("test_cases").where("sk", "in", failedIn(db, repoId, list));
  }
}

function failedIn(db: Database, repoId: number, { from, until }: Extract<TestList, { kind: "failing" }>) {
  return db
    .selectFrom("test_failures")
    .select("test_sk")
    .distinct()
    .where("repo_id", "=", repoId)
    .where("at", ">=", from)
    .where("at", "<", until)
    .where("is_suspect", "=", 0);
}

type Row = ExpressionBuilder<Schema, "test_cases">;

/** The time by which a list is ordered; null = by key alone. */
export function timeColumnOf({ kind }: TestList): "quarantined_at" | "status_at" | null {
  return kind === "failing" ? null : kind === "quarantined" ? "quarantined_at" : "status_at";
}

/** Whether a row stands after a place, or before it. */
export function standing(list: TestList, direction: "after" | "before", { at, key }: Place) {
  const operator = direction === "after" ? "<" : ">";
  const column = timeColumnOf(list);
  return ({ eb, refTuple, tuple }: Row) =>
    column === null ? eb("sk", operator, key) : eb(refTuple(column, "sk"), operator, tuple(at, key));
}
