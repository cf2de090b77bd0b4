import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Kysely } from "kysely";
import { RenameReads } from "../../../src/flaky/store/history/rename-reads.ts";
import { formerNumbers, newerNumbers } from "../../../src/flaky/store/history/renames.ts";
import type { StoredUpload } from "../../../src/flaky/store/uploads/stored-uploads.ts";
import { migrate } from "../../../src/store/sqlite/migrate.ts";
import type { Schema } from "../../../src/store/sqlite/schema.ts";
import { NodeSqliteDialect } from "../../../src/store/sqlite/sqlite-dialect.ts";
import { createSqliteFile, type SqliteFile } from "../../store/sqlite-file.ts";

let file: SqliteFile;
beforeAll(async () => {
  file = await createSqliteFile();
});
afterAll(() => file.remove());

const upload: StoredUpload = {
  ...{
    id: 9,
    repositoryId: 1,
    at: 7,
    headSha: "h",
    treeSha: "t",
    branch: "main",
    line: "main",
    kind: "stable",
    pr: null,
  },
  ...{ workflow: "CI", job: "test", variant: "", step: "", runId: "r", runAttempt: 1, isSuspect: false },
  results: [],
};

it("renamed tests are found by indexes, and places by a covering index", async () => {
  const statements: string[] = [];
  const db = new Kysely<Schema>({
    dialect: new NodeSqliteDialect(file.path),
    log: ({ query }) => void statements.push(query.sql),
  });
  await migrate(db);
  statements.length = 0;
  const reads = new RenameReads(db);
  await reads.greenBefore(upload);
  await reads.hasSiblings(upload);
  await reads.newestElsewhere(upload, 0, 9);
  await reads.knownBefore(upload, [7]);
  await formerNumbers(db, [7]);
  await newerNumbers(db, [7]);
  await db.destroy();
  const database = new DatabaseSync(file.path);
  const plans = statements.map((statement) =>
    database
      .prepare(`explain query plan ${statement}`)
      .all(...Array.from({ length: statement.split("?").length - 1 }, () => 1))
      .map(({ detail }) => String(detail).replace(/ \(.*/, ""))
      .filter((detail) => !detail.includes("ORDER BY")),
  );
  database.close();
  expect(plans).toEqual([
    ["SEARCH test_uploads USING INDEX test_uploads_by_line"],
    ["SEARCH test_uploads USING INDEX test_uploads_by_tree"],
    ["SEARCH test_uploads USING COVERING INDEX test_uploads_of_places"],
    ["SEARCH test_renames USING INTEGER PRIMARY KEY"],
    ["SEARCH test_uploads USING INDEX test_uploads_by_tree"],
    [expect.stringContaining("SEARCH test_days USING")],
    ["SEARCH test_renames USING INTEGER PRIMARY KEY"],
    ["SEARCH test_renames USING INDEX test_renames_by_from"],
  ]);
});
