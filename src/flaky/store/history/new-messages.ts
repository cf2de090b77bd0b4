import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database } from "../../../store/sqlite/schema.ts";

/**
 * Of tests that failed in an upload, returns those that failed before but never with their current message.
 */
export async function newMessages(
  db: Database,
  { id, at }: { readonly id: number; readonly at: number },
  sks: readonly number[],
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (const chunk of inChunks(sks)) {
    const rows = await db
      .selectFrom("test_failures as failure")
      .innerJoin("test_failure_groups as group", (join) =>
        join
          .onRef("group.test_sk", "=", "failure.test_sk")
          .onRef("group.fingerprint", "=", "failure.fingerprint"),
      )
      .select("failure.test_sk as sk")
      .distinct()
      .where("failure.test_sk", "in", chunk)
      .where("failure.at", "=", at)
      .where("failure.upload_id", "=", id)
      .where("group.first_at", "=", at)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("test_failure_groups as earlier")
            .select("earlier.test_sk")
            .whereRef("earlier.test_sk", "=", "failure.test_sk")
            .where("earlier.first_at", "<", at),
        ),
      )
      .execute();
    for (const { sk } of rows) found.add(sk);
  }
  return found;
}
