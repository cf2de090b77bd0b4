import type { Entry } from "../src/engine/model/entry.ts";
import { openStore } from "../src/store/sqlite/open-store.ts";

const entriesAtOnce = 1_000;
const betweenMs = 60_000;

/** Adds pull requests that have ended to the only queue of a database, a minute after each other: two of three have merged. */
export async function addEnded(databaseUrl: string, count: number, firstPr: number): Promise<void> {
  const store = await openStore(databaseUrl);
  const [queue] = await store.queues.list();
  const began = Date.now() - count * betweenMs;
  for (let from = 0; from < count; from += entriesAtOnce) {
    const entries = Array.from({ length: Math.min(entriesAtOnce, count - from) }, (_, index) =>
      endedEntry(firstPr + from + index, began + (from + index) * betweenMs),
    );
    await store.queues.commit({ queueId: queue?.id ?? "", events: [], entries, tasks: [], settles: [] });
  }
  await store.close();
}

function endedEntry(pr: number, endedAt: number): Entry {
  const sha = pr.toString(16).padStart(40, "0");
  const merged = { code: "MERGED_IN_ORDER", sha, proof: "exact" } as const;
  const failed = {
    code: "CHECKS_FAILED",
    checks: [{ name: "build", conclusion: "failure", url: null }],
  } as const;
  const isMerged = pr % 3 !== 0;
  return {
    ...{ id: `ended-${pr}`, pr, headSha: sha, headRef: `change-${pr}`, baseBranch: "main" },
    ...{ title: `Make the change number ${pr}`, author: `author-${pr % 50}` },
    url: `https://github.com/acme/widgets/pull/${pr}`,
    state: isMerged ? "merged" : "failed",
    reason: isMerged ? merged : failed,
    ...{ stateChangedAt: endedAt, submittedAt: endedAt - 40 * 60_000 },
    admittedBy: { kind: "user", name: `author-${pr % 50}` },
    admittedVia: "comment",
    priority: { value: 100, name: "medium", isDefault: true },
    readiness: { baseBranchMatches: true, mergeability: "mergeable", draft: false, blockers: [] },
    ...{ runId: null, bisectionId: null, targets: null, targetsSeq: null, retryAt: null },
    ...{ heldBehind: [], attempts: 1, noBatch: false },
  };
}
