import { setImmediate as nextRound } from "node:timers/promises";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { countStableRuns } from "../history/count-stable-runs.ts";
import { readResults } from "../history/unreadable-evidence.ts";
import { greenUploads } from "./green-uploads.ts";

/** An upload and its job. */
export interface JobUpload {
  readonly id: number;
  readonly head_sha: string;
  readonly workflow: string;
  readonly job: string;
  readonly variant: string;
  readonly step: string;
}

/** The number of green queue runs to read. Concurrent runs need not contain each other's pull requests. */
const recentGreens = 5;
/** The number of results to read before other work runs. */
const atATime = 2_000;

/**
 * Returns the tests of an upload that are new to the base: no stable branch has run them within the retention
 * period, and neither have the job's last green uploads of stable branches and the queue. Returns none when
 * the job was never green there, because nothing then shows what is new. Also returns none when a green
 * upload lacks results or cannot be read.
 */
export async function testsNewToBase(
  db: Database,
  repositoryId: number,
  upload: JobUpload,
  sks: readonly number[],
): Promise<ReadonlySet<number>> {
  if (sks.length === 0) return new Set();
  try {
    const greens = await greensBefore(db, repositoryId, upload);
    if (greens.length === 0) return new Set();
    const added = new Set(sks);
    for (const sk of sks) if ((await countStableRuns(db, sk)) > 0) added.delete(sk);
    for (const green of greens) {
      if (added.size === 0) break;
      for (const some of inBatches(readResults(green), atATime)) {
        for (const { sk } of some) added.delete(sk);
        await nextRound();
      }
    }
    return added;
  } catch (error) {
    // The failure then counts, as it does where new tests are not retried. This also applies while a green
    // upload lacks results.
    if (error instanceof Error && error.name === "UnreadableEvidence") return new Set();
    throw error;
  }
}

async function greensBefore(db: Database, repositoryId: number, { id, head_sha, ...place }: JobUpload) {
  const before = (kind: "stable" | "queue", most: number) =>
    greenUploads(db, repositoryId, { ...place, kind })
      .select(["id", "results", "passed", "failed", "skipped"])
      .where("given_up", "is", null)
      .where("head_sha", "!=", head_sha)
      .where("id", "<", id)
      .limit(most)
      .execute();
  return [...(await before("stable", 1)), ...(await before("queue", recentGreens))];
}
