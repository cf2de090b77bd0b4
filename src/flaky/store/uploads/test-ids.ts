import { Prepared } from "../../../store/queries/prepared.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import { type StoredId, storedId } from "../packing/stored-id.ts";

/** The id of a test and its number. */
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
