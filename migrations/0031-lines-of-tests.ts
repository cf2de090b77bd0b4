import { type Kysely, sql } from "kysely";

/** Tests are judged by the stable branch on whose line they ran, and uploads compared by the step of their job. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ["line", "step"])
    await db.schema
      .alterTable("test_uploads")
      .addColumn(column, "text", (one) => one.notNull().defaultTo(""))
      .execute();
  await db.schema.alterTable("test_cases").addColumn("flaky_places", "text").execute();
  await db.schema
    .createIndex("test_uploads_on_stable")
    .on("test_uploads")
    .columns(["repo_id", "id", "branch"])
    .where(sql.ref("kind"), "=", sql.lit("stable"))
    .execute();
  await db.schema.dropIndex("test_uploads_by_job").execute();
  await db.schema
    .createIndex("test_uploads_by_job")
    .on("test_uploads")
    .columns(["repo_id", "job", "variant", "step", "kind", "id"])
    .where(sql.ref("is_green"), "=", sql.lit(1))
    .execute();
  await createSharedPlaces(db);
  await moveHistories(db);
}

/** Jobs of which one run sends several uploads with the same tests. */
async function createSharedPlaces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_shared_places")
    .addColumn("repo_id", "integer", (column) => column.notNull().references("test_repositories.id"))
    .addColumn("job", "text", (column) => column.notNull())
    .addColumn("variant", "text", (column) => column.notNull())
    .addColumn("step", "text", (column) => column.notNull())
    .addColumn("uploads", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("test_shared_places_pk", ["repo_id", "job", "variant", "step"])
    .execute();
}

interface OldHistory {
  readonly changes: readonly object[];
  readonly episodes: readonly object[];
}

type CaseTable = {
  readonly test_cases: {
    readonly sk: number;
    readonly status: string;
    readonly history: string | null;
    readonly flaky_places: string | null;
  };
};

const rowsAtOnce = 500;

/** What was known of a test holds for all lines until something is known of one. What cannot be read is left for the evaluation to give up. */
async function moveHistories(db: Kysely<unknown>): Promise<void> {
  const cases = db.withTables<CaseTable>();
  for (let after = 0; ; ) {
    const rows = await cases
      .selectFrom("test_cases")
      .select(["sk", "status", "history"])
      .where("history", "is not", null)
      .where("sk", ">", after)
      .orderBy("sk")
      .limit(rowsAtOnce)
      .execute();
    for (const { sk, status, history } of rows) {
      const moved = movedHistory(history ?? "");
      if (moved === null) continue;
      const flaky_places = JSON.stringify({ lines: { "": status }, onlyIn: {}, notIn: [] });
      await cases
        .updateTable("test_cases")
        .set({ history: moved, flaky_places })
        .where("sk", "=", sk)
        .execute();
    }
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return;
    after = last.sk;
  }
}

function movedHistory(text: string): string | null {
  let old: OldHistory;
  try {
    old = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const { changes, episodes, ...rest } = old;
  if (!Array.isArray(changes) || !Array.isArray(episodes)) return null;
  const resting = { score: 0, streaks: 0, isFailing: false };
  const line = {
    ...rest,
    status: changes.at(-1),
    // Where they came is not known: that they were enough is.
    episodes: episodes.map((episode) => ({ ...episode, sources: [{ kind: "stable", name: "" }] })),
    slowCusum: resting,
    worsening: { score: 0, failures: 0, sources: [], usualRate: 0 },
    pullRequests: {},
  };
  return JSON.stringify({ changes, lines: { "": line } });
}
