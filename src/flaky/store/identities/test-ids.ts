import { Prepared } from "../../../store/queries/prepared.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";

/**
 * A stored test id: the 16 bytes of a lower-case UUID, or the text of any other id with one or two zero bytes at its end, so that its
 * length is not 16. The stored form of "" is the lowest.
 */
export type StoredId = Uint8Array;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const uuidBytes = 16;

export function storedId(id: string): StoredId {
  if (uuid.test(id)) return Buffer.from(id.replaceAll("-", ""), "hex");
  const text = Buffer.from(`${id}\0`);
  return text.length === uuidBytes ? Buffer.from(`${id}\0\0`) : text;
}

export function idOf(stored: StoredId): string {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  if (bytes.length !== uuidBytes) return bytes.toString().replace(/\0+$/, "");
  const hex = bytes.toString("hex");
  const [low, middle, version, variant] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
  ];
  return `${low}-${middle}-${version}-${variant}-${hex.slice(20)}`;
}

export interface NumberedId {
  readonly id: string;
  readonly sk: number;
}

/** Selects the numbers of a repository's tests with these ids. */
export function numbersOf(db: Database | Tx, repositoryId: number, ids: readonly string[]) {
  return db
    .selectFrom("test_ids")
    .select("test_sk")
    .where("repo_id", "=", repositoryId)
    .where("id", "in", ids.map(storedId));
}

/** Inserts ids. Existing ones stay unchanged. */
export async function addIds(tx: Tx, repositoryId: number, ids: readonly NumberedId[]): Promise<void> {
  for (const { id, sk } of ids) await add.run(tx, { repositoryId, id: storedId(id), sk });
}

const add = new Prepared(
  (db, of: { readonly repositoryId: number; readonly id: StoredId; readonly sk: number }) =>
    db
      .insertInto("test_ids")
      .values({ repo_id: of.repositoryId, id: of.id, test_sk: of.sk })
      .onConflict((known) => known.doNothing()),
);
