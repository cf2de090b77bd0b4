import type { AuditEntry, AuditLog, AuditQuery, AuditRecord } from "../ports/audit-log.ts";
import { parseStored } from "./corrupt-row.ts";
import type { Writes } from "./group-commit.ts";
import { repoKey } from "./repo-key.ts";
import type { Database } from "./schema.ts";

export class SqlAuditLog implements AuditLog {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  async append(entry: AuditEntry): Promise<void> {
    const { at, organisation, action, ...content } = entry;
    const row = {
      at,
      organisation,
      action,
      actor_key: entry.actor.id.toLowerCase(),
      repo_key: entry.repo && repoKey(entry.repo),
      content: JSON.stringify(content),
    };
    await this.#writes.run(async (tx) => {
      const last = await tx
        .selectFrom("audit_log")
        .select(({ fn }) => fn.max("id").as("id"))
        .where("organisation", "=", organisation)
        .executeTakeFirst();
      await tx
        .insertInto("audit_log")
        .values({ ...row, id: (last?.id ?? 0) + 1 })
        .execute();
    });
  }

  async list({ organisation, repo, action, actor, since, until, after, limit }: AuditQuery) {
    let rows = this.#db
      .selectFrom("audit_log")
      .select(["id", "at", "organisation", "action", "content"])
      .where("organisation", "=", organisation);
    if (repo !== null) rows = rows.where("repo_key", "=", repoKey(repo));
    if (action !== null) rows = rows.where("action", "=", action);
    if (actor !== null) rows = rows.where("actor_key", "=", actor.toLowerCase());
    if (since !== null) rows = rows.where("at", ">=", since);
    if (until !== null) rows = rows.where("at", "<", until);
    if (after !== null)
      rows = rows.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("at", "id"), "<", tuple(after.at, after.id)),
      );
    const found = await rows.orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
    return found.map(({ content, ...row }): AuditRecord => {
      const kept = parseStored<Omit<AuditRecord, keyof typeof row>>(content, `audit entry ${row.id}`);
      return { ...row, ...kept };
    });
  }

  async forget(before: number, limit: number): Promise<number> {
    return await this.#writes.run(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom("audit_log")
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple("organisation", "id"),
            "in",
            selectFrom("audit_log")
              .select(["organisation", "id"])
              .where("at", "<", before)
              .orderBy("at")
              .limit(limit)
              .$asTuple("organisation", "id"),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    });
  }
}
