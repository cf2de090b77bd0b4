import { sql } from "kysely";
import type { Tx } from "../../../store/sqlite/schema.ts";
import { idOf } from "../identities/test-ids.ts";

const hourMs = 3_600_000;

/** Implements `TestIssueStore.plan`. Compares the status that an issue describes with the current one, by the time of the change. */
export async function planIssues(
  tx: Tx,
  repositoryId: number,
  now: number,
  mostInAnHour: number,
): Promise<void> {
  const due = { due_at: now, attempts: 0 };
  const stale = await tx
    .selectFrom("test_issues as issue")
    .leftJoin("test_cases as test", "test.sk", "issue.test_sk")
    .select("issue.test_sk")
    .where("issue.repo_id", "=", repositoryId)
    .where("issue.due_at", "is", null)
    .where((one) => {
      const isGone = one("test.sk", "is", null);
      const isOld = one("issue.told_status_at", "!=", one.ref("test.status_at"));
      // An unrecorded issue may have been opened before its test recovered.
      const isLost = one.and([
        one("issue.number", "is", null),
        one("issue.tried_at", "is not", null),
        one.or([isGone, one("test.status", "=", "HEALTHY")]),
      ]);
      return one.or([isLost, one.and([one("issue.is_open", "=", 1), one.or([isGone, isOld])])]);
    })
    .execute();
  for (const { test_sk } of stale)
    await tx.updateTable("test_issues").set(due).where("test_sk", "=", test_sk).execute();

  const { opened } = await tx
    .selectFrom("test_issues")
    .select((issue) => issue.fn.countAll<number>().as("opened"))
    .where("repo_id", "=", repositoryId)
    .where("opened_at", ">", now - hourMs)
    .executeTakeFirstOrThrow();
  const room = mostInAnHour - Number(opened);
  if (room <= 0) return;
  const wanting = await tx
    .selectFrom("test_cases as test")
    .leftJoin("test_issues as issue", "issue.test_sk", "test.sk")
    .select(["test.sk", "test.id"])
    .where("test.repo_id", "=", repositoryId)
    .where(sql<boolean>`test.status != 'HEALTHY'`)
    .where("issue.due_at", "is", null)
    .where((one) => one.or([one("issue.is_open", "is", null), one("issue.is_open", "=", 0)]))
    .where((one) =>
      one.or([
        one("issue.told_status_at", "is", null),
        one("issue.told_status_at", "!=", one.ref("test.status_at")),
      ]),
    )
    .orderBy("test.status_at")
    .orderBy("test.sk")
    .limit(room)
    .execute();
  for (const { sk, id } of wanting)
    await tx
      .insertInto("test_issues")
      .values({ test_sk: sk, repo_id: repositoryId, test_id: idOf(id), opened_at: now, ...due })
      .onConflict((known) => known.column("test_sk").doUpdateSet({ opened_at: now, ...due }))
      .execute();
}
