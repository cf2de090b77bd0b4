import type { Selectable } from "kysely";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import {
  addToClaim,
  mayOnlyAdd,
  parseTargets,
  type TargetClaim,
  type Targets,
  targetsOf,
} from "../../engine/model/targets.ts";
import { CorruptRow, parseJson } from "../queries/corrupt-row.ts";
import { Prepared } from "../queries/prepared.ts";
import { SharedQuery } from "../queries/shared-query.ts";
import type { Database, Schema } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { repoColumns, repoKey } from "./repo-key.ts";
import { packNames, putNames, readNames } from "./target-names.ts";

export interface TargetUpload extends TargetClaim {
  readonly repo: RepositoryRef;
  readonly pr: number;
  readonly headSha: string;
  readonly uploadedAt: number;
}

/** The first names of a head's impacted targets, and the number of targets. */
export interface NamedTargets {
  readonly names: readonly string[];
  readonly total: number | "ALL";
}

interface Head {
  readonly repoKey: string;
  readonly pr: number;
  readonly headSha: string;
}

const byHead = new Prepared((db, { repoKey, pr, headSha }: Head) =>
  db
    .selectFrom("targets")
    .selectAll()
    .where("repo_key", "=", repoKey)
    .where("pr", "=", pr)
    .where("head_sha", "=", headSha),
);

const headsIn = (db: Database, repoKey: string) =>
  db.selectFrom("targets").select(["pr", "head_sha"]).where("repo_key", "=", repoKey);

const oneHead = new Prepared((db, { repoKey, pr, headSha }: Head) =>
  headsIn(db, repoKey).where("pr", "=", pr).where("head_sha", "=", headSha),
);

/** Reads without the targets themselves, because those of many heads could be a hundred megabytes. */
const uploadedFor = new SharedQuery(oneHead, {
  groupOf: (at) => at.repoKey,
  read: (db, { repoKey }, all) =>
    headsIn(db, repoKey)
      .where(
        "pr",
        "in",
        all.map(({ pr }) => pr),
      )
      .where(
        "head_sha",
        "in",
        all.map(({ headSha }) => headSha),
      )
      .execute(),
  isFor: (row, { pr, headSha }) => row.pr === pr && row.head_sha === headSha,
});

/**
 * The combined target uploads for each head of a pull request. An upload replaces the targets from its own or
 * a less trusted source, and is added to those from a more trusted one.
 */
export class TargetStore extends SqlStore {
  /**
   * Replaces or extends the targets of a head, atomically. Returns the targets that now apply. Without
   * `named`, the names stay unchanged.
   */
  async put({ uploadedAt, ...said }: TargetUpload, named?: NamedTargets): Promise<TargetClaim> {
    const packed = named && (await packNames(named));
    const at = { repoKey: repoKey(said.repo), pr: said.pr, headSha: said.headSha };
    return await this.writes.run(async (tx) => {
      const known = await byHead.first(tx, at);
      const adds = known !== undefined && mayOnlyAdd(said.source, known.source);
      // A replaced row is not parsed, because it may be damaged.
      const { source, targets } = adds ? addToClaim(claimOf(known), said.targets) : said;
      const replaced = {
        ...repoColumns(said.repo),
        uploaded_at: uploadedAt,
        source,
        targets: JSON.stringify(targets),
      };
      await tx
        .insertInto("targets")
        .values({ ...replaced, pr: said.pr, head_sha: said.headSha })
        .onConflict((row) => row.columns(["repo_key", "pr", "head_sha"]).doUpdateSet(replaced))
        .execute();
      const added = !adds ? null : targets === "ALL" ? targets : targets.size;
      if (packed) await putNames(tx, { uploadedAt, ...said }, packed, added);
      return { source, targets };
    });
  }

  async has(repo: RepositoryRef, pr: number, headSha: string): Promise<boolean> {
    const found = await uploadedFor.first(this.db, { repoKey: repoKey(repo), pr, headSha });
    return found !== undefined;
  }

  /** The names as uploaded within 30 days; null when nothing was uploaded or the names are unknown. */
  names(repo: RepositoryRef, pr: number, headSha: string): Promise<NamedTargets | null> {
    return readNames(this.db, repo, pr, headSha);
  }

  async get(repo: RepositoryRef, pr: number, headSha: string): Promise<TargetUpload | null> {
    if (!(await this.has(repo, pr, headSha))) return null;
    const row = await byHead.first(this.db, { repoKey: repoKey(repo), pr, headSha });
    if (!row) return null;
    return {
      repo: { host: row.host, owner: row.owner, name: row.name },
      pr,
      headSha,
      ...claimOf(row),
      uploadedAt: row.uploaded_at,
    };
  }
}

function claimOf(row: Selectable<Schema["targets"]>): TargetClaim {
  const where = `the targets of #${row.pr} in ${row.repo_key} at ${row.head_sha}`;
  return { source: row.source, targets: parseStored(row.targets, where) };
}

/** Packed numbers, or the names that earlier versions stored. */
function parseStored(text: string, where: string): Targets {
  const stored = parseJson(text, where);
  if (typeof stored === "string" && isPacked(stored)) return parseTargets(stored);
  if (isListOfText(stored)) return targetsOf(stored);
  throw new CorruptRow(where, "are neither ALL nor a list");
}

/** `ALL`, or base64 of four-byte numbers. */
function isPacked(text: string): boolean {
  return (
    text === "ALL" || (/^[A-Za-z0-9+/]*={0,2}$/.test(text) && Buffer.byteLength(text, "base64") % 4 === 0)
  );
}

function isListOfText(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
