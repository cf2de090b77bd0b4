import { type Kysely, SqliteAdapter, sql } from "kysely";

/**
 * Which tests failed in which hour, made of the failures that are there; uploads whose evaluation was given up; and when tests were
 * last proven to be flaky. What is packed is described in src/store/tests/packing/packed-numbers.ts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const binary = db.getExecutor().adapter instanceof SqliteAdapter ? sql`blob` : sql`bytea`;
  await db.schema
    .createTable("test_failing_hours")
    .addColumn("repo_id", "integer", (column) => column.notNull().references("test_repositories.id"))
    .addColumn("hour", "integer", (column) => column.notNull())
    .addColumn("tests", binary, (column) => column.notNull())
    .addPrimaryKeyConstraint("test_failing_hours_pk", ["repo_id", "hour"])
    .execute();
  await db.schema
    .createIndex("test_failing_hours_by_age")
    .on("test_failing_hours")
    .columns(["hour"])
    .execute();
  await fillHours(db);
  await db.schema.alterTable("test_uploads").addColumn("given_up", "text").execute();
  await db.schema.alterTable("test_cases").addColumn("proven_at", "bigint").execute();
  await noteEvidence(db);
}

const hourMs = 3_600_000;

async function fillHours(db: Kysely<unknown>): Promise<void> {
  const { rows: repositories } = await sql<{ id: number }>`select id from test_repositories`.execute(db);
  for (const { id } of repositories)
    for (let from = 0; ; ) {
      const { rows: next } = await sql<{ at: number | null }>`
        select min(at) as at from test_failures where repo_id = ${id} and at >= ${from}`.execute(db);
      const at = next[0]?.at ?? null;
      if (at === null) break;
      const hour = Math.floor(at / hourMs);
      from = (hour + 1) * hourMs;
      const { rows } = await sql<{ sk: number }>`
        select distinct test_sk as sk from test_failures
        where repo_id = ${id} and at >= ${hour * hourMs} and at < ${from} and is_suspect = 0
        order by test_sk`.execute(db);
      if (rows.length === 0) continue;
      const tests = pack(rows.map(({ sk }) => sk));
      await sql`insert into test_failing_hours (repo_id, hour, tests) values (${id}, ${hour}, ${tests})`.execute(
        db,
      );
    }
}

/** As src/store/tests/packing/packed-numbers.ts did when this was written. */
function pack(ascending: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  let before = 0;
  for (const number of ascending) {
    let rest = number - before;
    before = number;
    for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}

/** Of those histories that can be read: a test's status is of the time at which it was found. */
async function noteEvidence(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ sk: number; history: string }>`
    select sk, history from test_cases where history is not null`.execute(db);
  for (const { sk, history } of rows) {
    const known = parse(history);
    if (!known) continue;
    const changes = Array.isArray(known.changes) ? (known.changes as { status: string; at: number }[]) : [];
    const provenAt = changes.findLast(({ status }) => status === "FLAKY")?.at ?? null;
    const noted = JSON.stringify({ ...known, provenAt });
    await sql`update test_cases set history = ${noted}, proven_at = ${provenAt} where sk = ${sk}`.execute(db);
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
