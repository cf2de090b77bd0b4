import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Kysely } from "kysely";
import { greenUploads } from "../../../src/flaky/store/uploads/stored-uploads.ts";
import { migrate } from "../../../src/store/sqlite/migrate.ts";
import type { Schema } from "../../../src/store/sqlite/schema.ts";
import { NodeSqliteDialect } from "../../../src/store/sqlite/sqlite-dialect.ts";
import { createSqliteFile, type SqliteFile } from "../../store/sqlite-file.ts";

let file: SqliteFile;
beforeAll(async () => {
  file = await createSqliteFile();
});
afterAll(() => file.remove());

it("green uploads of one line and of all lines are found by an index in its order", async () => {
  const db = new Kysely<Schema>({ dialect: new NodeSqliteDialect(file.path) });
  await migrate(db);
  const place = { workflow: "CI", job: "test", variant: "", step: "unit", kind: "stable" } as const;
  const onLine = greenUploads(db, 1, { ...place, line: "main" });
  const queries = [onLine, greenUploads(db, 1, place), onLine.where("id", "<", 9)].map((uploads) =>
    uploads.select("cases").limit(1).compile(),
  );
  await db.destroy();
  const database = new DatabaseSync(file.path);
  const plans = queries.map(({ sql, parameters }) =>
    database
      .prepare(`explain query plan ${sql}`)
      .all(...parameters.map(String))
      .map(({ detail }) => detail),
  );
  database.close();
  expect(plans).toEqual([
    [
      "SEARCH test_uploads USING INDEX test_uploads_by_line " +
        "(repo_id=? AND line=? AND job=? AND variant=? AND step=? AND workflow=? AND kind=?)",
    ],
    [
      "SEARCH test_uploads USING INDEX test_uploads_by_job (repo_id=? AND job=? AND variant=? AND step=? AND kind=?)",
    ],
    [
      "SEARCH test_uploads USING INDEX test_uploads_by_line " +
        "(repo_id=? AND line=? AND job=? AND variant=? AND step=? AND workflow=? AND kind=? AND id<?)",
    ],
  ]);
});
