import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import { Prepared } from "../queries/prepared.ts";
import { PreparedRows } from "../queries/prepared-rows.ts";
import { repoKey } from "../queue/repo-key.ts";
import type { Tx } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";

/** The actor of an action, as proven by the credentials that were presented. */
export interface AuditActor {
  /**
   * An API token, a person on the code host, a workflow with its OIDC token, a run of a fork's workflow, or a
   * user of this service's command line.
   */
  readonly kind: "token" | "user" | "workflow" | "fork_run" | "operator";
  /** A token's id (never its secret), a login, an OIDC subject, a run's id, or a user name of the machine. */
  readonly id: string;
  /** For people to read: the name of the token or of the workflow. */
  readonly name: string;
}

/** One action that an actor did or was refused. */
export interface AuditEntry {
  readonly at: number;
  /**
   * The organisation that the entry belongs to: the owner of the repositories or of the token, in lower case.
   */
  readonly organisation: string;
  /** An endpoint's name, which the command line uses, too, for the same action; or `createToken`, `revokeToken`. */
  readonly action: string;
  readonly outcome: "done" | "refused" | "failed";
  /** Why it was not done; null when it was done. */
  readonly code: string | null;
  readonly actor: AuditActor;
  readonly via: "api" | "action" | "comment" | "label" | "auto_merge" | "check" | "dashboard" | "cli";
  readonly repo: RepositoryRef | null;
  readonly branch: string | null;
  readonly pr: number | null;
  /** The id of the token that was created or revoked. */
  readonly token: string | null;
  /** The webhook or the test that the action is about; null for every other action. */
  readonly subject: {
    readonly kind: "webhook" | "test";
    readonly id: string;
    /** For people to read. */
    readonly name: string;
  } | null;
  /**
   * What the action changed; empty when it changed nothing. Null when it was not done, when it is of a kind
   * that lists no changes, and in entries of earlier versions.
   */
  readonly changes: AuditChange[] | null;
  /** How often it happened, if the entry stands for several refusals within a minute; absent = once. */
  readonly times?: number;
  /** Why it was done, in the actor's words; null when they gave no reason. */
  readonly reason: string | null;
  /** The address that the request came from; null when unknown, as for comments. */
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

/** The value of a setting or field, as it is shown in the audit log. */
export type AuditValue = string | number | boolean | string[] | null;

/** One field that an action changed. Null = there was, or is, no value. */
export interface AuditChange {
  /** Its name in the API. */
  readonly field: string;
  readonly from: AuditValue;
  readonly to: AuditValue;
}

export interface AuditRecord extends AuditEntry {
  /** Increases with every entry of the organisation. */
  readonly id: number;
}

/** The position where a page begins. */
export interface AuditPlace {
  readonly at: number;
  readonly id: number;
}

/** A null filter matches everything. */
export interface AuditQuery {
  readonly organisation: string;
  readonly repo: RepositoryRef | null;
  readonly action: string | null;
  /** An actor's id, compared case-insensitively. */
  readonly actor: string | null;
  readonly since: number | null;
  /** Exclusive. */
  readonly until: number | null;
  readonly after: AuditPlace | null;
  readonly limit: number;
}

interface AuditRow {
  readonly at: number;
  readonly organisation: string;
  readonly action: string;
  readonly actorKey: string;
  readonly repoKey: string | null;
  readonly content: string;
}

/** Ids are counted separately for each organisation. */
const append = new Prepared((db, row: AuditRow) =>
  db
    .insertInto("audit_log")
    .columns(["id", "at", "organisation", "action", "actor_key", "repo_key", "content"])
    .expression(({ eb, fn, lit, selectFrom, val }) =>
      selectFrom("audit_log")
        .where("organisation", "=", row.organisation)
        .select([
          eb(fn.coalesce(fn.max("id"), lit(0)), "+", lit(1)).as("id"),
          val(row.at).as("at"),
          val(row.organisation).as("organisation"),
          val(row.action).as("action"),
          val(row.actorKey).as("actor_key"),
          val(row.repoKey).as("repo_key"),
          val(row.content).as("content"),
        ]),
    ),
);

const appendNumbered = new PreparedRows((db, rows: readonly (AuditRow & { readonly id: number })[]) =>
  db.insertInto("audit_log").values(
    rows.map((row) => ({
      id: row.id,
      at: row.at,
      organisation: row.organisation,
      action: row.action,
      actor_key: row.actorKey,
      repo_key: row.repoKey,
      content: row.content,
    })),
  ),
);

const lastId = new Prepared((db, of: { organisation: string }) =>
  db
    .selectFrom("audit_log")
    .select((entry) => entry.fn.max("id").as("id"))
    .where("organisation", "=", of.organisation),
);

/** Appends entries in a transaction that also writes what they are about. */
export async function appendAudits(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  for (const [organisation, some] of Map.groupBy(entries, (entry) => entry.organisation)) {
    const rows = some.map(rowOf);
    const [first] = rows;
    if (first && rows.length === 1) await append.run(tx, first);
    else {
      const last = (await lastId.first(tx, { organisation }))?.id ?? 0;
      await appendNumbered.run(
        tx,
        rows.map((row, index) => ({ ...row, id: Number(last) + 1 + index })),
      );
    }
  }
}

function rowOf(entry: AuditEntry): AuditRow {
  const { at, organisation, action, ...content } = entry;
  return {
    at,
    organisation,
    action,
    actorKey: nameKey(entry.actor.id),
    repoKey: entry.repo && repoKey(entry.repo),
    content: JSON.stringify(content),
  };
}

/** Fields that entries of earlier versions lack. */
const notRecordedBefore = { subject: null, changes: null, reason: null };

/** The audit log. Entries are added, never changed, and deleted after the retention period. */
export class AuditLog extends SqlStore {
  async append(entry: AuditEntry): Promise<void> {
    await this.writes.run((tx) => appendAudits(tx, [entry]));
  }

  /** The entries of one organisation, newest first. */
  async list({ organisation, repo, action, actor, since, until, after, limit }: AuditQuery) {
    let rows = this.db
      .selectFrom("audit_log")
      .select(["id", "at", "organisation", "action", "content"])
      .where("organisation", "=", organisation);
    if (repo !== null) rows = rows.where("repo_key", "=", repoKey(repo));
    if (action !== null) rows = rows.where("action", "=", action);
    if (actor !== null) rows = rows.where("actor_key", "=", nameKey(actor));
    if (since !== null) rows = rows.where("at", ">=", since);
    if (until !== null) rows = rows.where("at", "<", until);
    if (after !== null)
      rows = rows.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("at", "id"), "<", tuple(after.at, after.id)),
      );
    const found = await rows.orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
    return found.map(({ content, ...row }): AuditRecord => {
      const kept = parseStored<Omit<AuditRecord, keyof typeof row>>(content, `audit entry ${row.id}`);
      return { ...row, ...notRecordedBefore, ...kept };
    });
  }

  /** Deletes at most `limit` entries older than a time, the oldest first. Returns the number deleted. */
  async forget(before: number, limit: number): Promise<number> {
    return await this.writes.run(async (tx) => {
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
