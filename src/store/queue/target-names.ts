import { promisify } from "node:util";
import { deflateRaw, inflateRaw, inflateRawSync } from "node:zlib";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { mostNamedTargets } from "../../engine/model/targets.ts";
import { parseJson } from "../queries/corrupt-row.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import { repoKey } from "./repo-key.ts";
import type { NamedTargets, TargetUpload } from "./target-store.ts";

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];

/** No entry lives longer, because an entry that never becomes ready is cancelled by then. */
const keptMs = 30 * 86_400_000;

export interface PackedNames {
  readonly total: number | null;
  readonly names: Buffer;
  /** The unpacked names. */
  readonly list: readonly string[];
}

/** Packs names before a transaction begins, outside the event loop. */
export async function packNames({ names, total }: NamedTargets): Promise<PackedNames> {
  const packed = await deflate(JSON.stringify(names));
  return { total: total === "ALL" ? null : total, names: packed, list: names };
}

/**
 * Stores the names of an upload. `added`: the resulting number of targets when they were added to an earlier
 * upload; null when they replace it.
 */
export async function putNames(
  tx: Tx,
  { repo, pr, headSha, uploadedAt }: TargetUpload,
  packed: PackedNames,
  added: number | "ALL" | null,
): Promise<void> {
  const at = { repo_key: repoKey(repo), pr, head_sha: headSha };
  const row = { uploaded_at: uploadedAt, total: packed.total, names: packed.names };
  if (added === null) await replaceNames(tx, at, row);
  else {
    const known = await tx
      .selectFrom("target_names")
      .select("names")
      .where("repo_key", "=", at.repo_key)
      .where("pr", "=", pr)
      .where("head_sha", "=", headSha)
      .executeTakeFirst();
    const names = [...new Set([...(known ? unpackNow(known.names) : []), ...packed.list])].slice(
      0,
      mostNamedTargets,
    );
    const { names: both } = await packNames({ names, total: 0 });
    await replaceNames(tx, at, { ...row, total: added === "ALL" ? null : added, names: both });
  }
  await tx
    .deleteFrom("target_names")
    .where("uploaded_at", "<", uploadedAt - keptMs)
    .execute();
}

/** Null when unknown. */
export async function readNames(
  db: Database,
  repo: RepositoryRef,
  pr: number,
  headSha: string,
): Promise<NamedTargets | null> {
  const row = await db
    .selectFrom("target_names")
    .select(["total", "names"])
    .where("repo_key", "=", repoKey(repo))
    .where("pr", "=", pr)
    .where("head_sha", "=", headSha)
    .executeTakeFirst();
  if (!row) return null;
  return { names: listOf(await inflate(row.names)), total: row.total ?? "ALL" };
}

async function replaceNames(
  tx: Tx,
  at: { repo_key: string; pr: number; head_sha: string },
  row: { uploaded_at: number; total: number | null; names: Uint8Array },
): Promise<void> {
  await tx
    .insertInto("target_names")
    .values({ ...at, ...row })
    .onConflict((known) => known.columns(["repo_key", "pr", "head_sha"]).doUpdateSet(row))
    .execute();
}

const unpackNow = (names: Uint8Array) => listOf(inflateRawSync(names));

function listOf(text: Buffer): readonly string[] {
  return parseJson(text.toString(), "names of targets") as readonly string[];
}
