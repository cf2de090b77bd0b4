import { sql } from "kysely";
import type { StatusReason } from "../flaky/detection/status.ts";
import { quarantineSettingsOf } from "../flaky/test-settings.ts";
import type {
  QuarantineCandidate,
  QuarantinePlan,
  QuarantineRevision,
  QuarantineScene,
  QuarantineStore,
} from "../ports/quarantine-store.ts";
import { announce } from "./announce.ts";
import { parseStored } from "./corrupt-row.ts";
import type { Writes } from "./group-commit.ts";
import { inChunks } from "./in-chunks.ts";
import type { Database, Tx } from "./schema.ts";
import type { TestCaseTable } from "./test-schema.ts";
import { settingsOf } from "./test-settings-store.ts";

export class SqlQuarantineStore implements QuarantineStore {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  revise(
    repositoryId: number,
    ids: readonly string[],
    at: number,
    plan: (scene: QuarantineScene) => QuarantinePlan,
  ): Promise<QuarantinePlan> {
    return this.#writes.run(async (tx) => {
      const planned = plan(await sceneOf(tx, repositoryId, ids));
      for (const revision of planned.revisions) await carryOut(tx, repositoryId, revision);
      if (planned.announces && planned.revisions.length > 0) await announce(tx, planned.announces);
      if (planned.isBudgetSpent !== null)
        await tx
          .updateTable("test_repositories")
          .set({ budget_spent_at: planned.isBudgetSpent ? at : null })
          .where("id", "=", repositoryId)
          // Since when it is so, not until when.
          .where("budget_spent_at", planned.isBudgetSpent ? "is" : "is not", null)
          .execute();
      await tx
        .updateTable("test_repositories")
        .set({ unplanned_since: null })
        .where("id", "=", repositoryId)
        .where("unplanned_since", "is not", null)
        .execute();
      return planned;
    });
  }

  async due(at: number): Promise<readonly number[]> {
    const unplanned = await this.#db
      .selectFrom("test_repositories")
      .select("id")
      .where("unplanned_since", "is not", null)
      .execute();
    const expired = await this.#withExpired(at);
    return [...new Set([...unplanned.map(({ id }) => id), ...expired])];
  }

  async #withExpired(at: number): Promise<readonly number[]> {
    const rows = await this.#db
      .selectFrom("test_cases")
      .innerJoin("test_repositories", "test_repositories.id", "test_cases.repo_id")
      .select("repo_id")
      .distinct()
      // What is switched off is left as it is, and need not be looked at again and again.
      .where("quarantining", "=", 1)
      .where((test) => test("quarantined", "=", test.lit(1)))
      .where("quarantine_expires_at", "<=", at)
      .execute();
    return rows.map(({ repo_id }) => repo_id);
  }

  async find(repositoryId: number, id: string): Promise<QuarantineCandidate | null> {
    const row = await cases(this.#db, repositoryId).where("id", "=", id).executeTakeFirst();
    return row ? toCandidate(row) : null;
  }

  async list(repositoryId: number, afterId: string, limit: number): Promise<readonly QuarantineCandidate[]> {
    const rows = await cases(this.#db, repositoryId)
      .where("id", ">", afterId)
      .where((test) =>
        test.or([
          test("quarantined", "=", 1),
          test("quarantine_mode", "!=", "AUTO"),
          test("ticket_url", "is not", null),
        ]),
      )
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(toCandidate);
  }

  async linkTicket(repositoryId: number, id: string, url: string | null): Promise<boolean> {
    return await this.#writes.run(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable("test_cases")
        .set({ ticket_url: url })
        .where("repo_id", "=", repositoryId)
        .where("id", "=", id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
  }
}

function cases(db: Database | Tx, repositoryId: number) {
  return db
    .selectFrom("test_cases")
    .select(["sk", "id", "name", "parent", "file", "classname", "variant", "codeowners", "status"])
    .select(["status_at", "status_reason", "quarantine_mode", "quarantined", "quarantined_at"])
    .select(["quarantine_expires_at", "quarantine_owner", "quarantine_reason", "ticket_url", "proven_at"])
    .where("repo_id", "=", repositoryId);
}

async function sceneOf(tx: Tx, repositoryId: number, ids: readonly string[]): Promise<QuarantineScene> {
  const repository = await tx
    .selectFrom("test_repositories")
    .select(["quarantining", "settings"])
    .where("id", "=", repositoryId)
    .executeTakeFirstOrThrow();
  const { tests } = await tx
    .selectFrom("test_cases")
    .select((test) => test.fn.countAll<number>().as("tests"))
    .where("repo_id", "=", repositoryId)
    .executeTakeFirstOrThrow();
  const found = [
    ...(await cases(tx, repositoryId)
      .where("status", "=", "FLAKY")
      // Implied, and named so that the index of unhealthy tests serves.
      .where(sql<boolean>`status != 'HEALTHY'`)
      .execute()),
    ...(await cases(tx, repositoryId)
      .where((test) => test("quarantined", "=", test.lit(1)))
      .execute()),
  ];
  for (const chunk of inChunks(ids))
    found.push(...(await cases(tx, repositoryId).where("id", "in", chunk).execute()));
  const candidates = new Map(found.map((row) => [row.sk, toCandidate(row)]));
  const settings = quarantineSettingsOf(settingsOf(repository));
  return { candidates: [...candidates.values()], tests: Number(tests), settings };
}

async function carryOut(
  tx: Tx,
  repositoryId: number,
  { sk, mode, isQuarantined, quarantine }: QuarantineRevision,
): Promise<void> {
  await tx
    .updateTable("test_cases")
    .set({
      quarantine_mode: mode,
      quarantined: isQuarantined ? 1 : 0,
      quarantined_at: quarantine?.since ?? null,
      quarantine_expires_at: quarantine?.expiresAt ?? null,
      quarantine_owner: quarantine?.owner ?? null,
      quarantine_reason: quarantine?.reason ?? null,
    })
    .where("sk", "=", sk)
    .where("repo_id", "=", repositoryId)
    .execute();
}

type CaseRow = Omit<TestCaseTable, "sk" | "repo_id" | "history" | "first_seen_at" | "last_seen_at"> & {
  readonly sk: number;
};

function toCandidate(row: CaseRow): QuarantineCandidate {
  const { sk, id, name, parent, file, classname, variant } = row;
  const reason = parseStored<StatusReason>(row.status_reason, `the status of test ${sk}`);
  const since = row.quarantined_at;
  return {
    ...{ sk, id, name, parent, file, classname, variant },
    mode: row.quarantine_mode,
    status: { status: row.status, at: row.status_at, reason },
    provenAt: row.proven_at,
    isQuarantined: row.quarantined === 1,
    quarantine:
      since === null
        ? null
        : {
            since,
            expiresAt: row.quarantine_expires_at ?? since,
            owner: row.quarantine_owner,
            reason: row.quarantine_reason ?? "",
          },
    owners:
      row.codeowners === null ? null : parseStored<string[]>(row.codeowners, `the owners of test ${sk}`),
    ticketUrl: row.ticket_url,
  };
}
