import type { Database } from "../../../store/sqlite/schema.ts";
import { greenUploads } from "./green-uploads.ts";
import type { TestPlace } from "./test-result-rows.ts";

/**
 * The number of cases of a place's last green upload on a line, or on any line if that line has none. Null
 * when there is no green upload.
 */
export async function expectedTests(
  db: Database,
  repositoryId: number,
  place: TestPlace,
  line: string,
): Promise<number | null> {
  const onLine = await lastGreen(db, repositoryId, { ...place, line });
  const last = onLine ?? (await lastGreen(db, repositoryId, place));
  return last?.cases ?? null;
}

async function lastGreen(db: Database, repositoryId: number, place: TestPlace & { readonly line?: string }) {
  const last = (kind: "stable" | "queue" | "pr") =>
    greenUploads(db, repositoryId, { ...place, kind })
      .select(["id", "cases"])
      .limit(1)
      .executeTakeFirst();
  const stable = await last("stable");
  const queue = await last("queue");
  // A pull request may remove tests. Until it merges, other uploads are expected to have them.
  if (!stable && !queue) return await last("pr");
  return (stable?.id ?? 0) > (queue?.id ?? 0) ? stable : queue;
}
