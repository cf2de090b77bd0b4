import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Kysely } from "kysely";
import { LeasedQueue } from "../../src/store/leased/leased-queue.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import type { Schema } from "../../src/store/sqlite/schema.ts";
import { NodeSqliteDialect } from "../../src/store/sqlite/sqlite-dialect.ts";
import { buildClaim } from "../contract/build-task.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

describe("the statements of a leased queue", () => {
  let file: SqliteFile;
  let statements: readonly string[];
  beforeAll(async () => {
    file = await createSqliteFile();
    statements = await recordStatements(file.path);
  });
  afterAll(() => file.remove());

  it("use an index, so that their cost does not grow with the table", () => {
    const database = new DatabaseSync(file.path);
    const scans = statements.filter((statement) =>
      database
        .prepare(`explain query plan ${statement}`)
        .all(...Array.from({ length: countParameters(statement) }, () => 1))
        .some((step) => /SCAN|TEMP B-TREE/.test(String(step.detail))),
    );
    database.close();
    expect(statements.length).toBeGreaterThan(8);
    expect(scans).toEqual([]);
  });
});

/** Returns every statement that a queue executes, except counting its rows. */
async function recordStatements(path: string): Promise<readonly string[]> {
  const statements = new Set<string>();
  const db = new Kysely<Schema>({
    dialect: new NodeSqliteDialect(path),
    log: ({ query }) => {
      if (/^(select|update|delete).*"outbox"/.test(query.sql)) statements.add(query.sql);
    },
  });
  await migrate(db);
  statements.clear();
  const queue = new LeasedQueue("outbox");
  await db.transaction().execute(async (tx) => {
    const row = { stream: "work", content: "{}", notBefore: 5, coalesce: true };
    await queue.add(tx, row);
    await queue.add(tx, { ...row, notBefore: 1 });
    const [claimed] = await queue.claim(tx, buildClaim(9));
    if (!claimed) throw new Error("nothing was claimed");
    await queue.add(tx, row);
    await queue.renew(tx, claimed, 50);
    await queue.postponeAll(tx, [{ row: claimed, notBefore: 60, error: null, failedAs: null }]);
    await queue.settle(tx, claimed);
  });
  await queue.nextDue(db);
  await db.destroy();
  return [...statements];
}

function countParameters(statement: string): number {
  return statement.split("?").length - 1;
}
