import type { Entry } from "../../src/engine/model/entry.ts";

/** A pending entry of pull request 7 by default. */
export function buildEntry(given: Partial<Entry> = {}): Entry {
  const pr = given.pr ?? 7;
  return {
    id: `entry-${pr}`,
    pr,
    headSha: "a".repeat(40),
    headRef: `feature-${pr}`,
    baseBranch: "main",
    title: 'Ship "it" 🚂',
    author: "octocat",
    url: `https://github.com/Octo-Org/Train/pull/${pr}`,
    state: "pending",
    stateChangedAt: 5_000,
    reason: { code: "READY" },
    admittedBy: { kind: "user", name: "octocat" },
    admittedVia: "comment",
    submittedAt: 4_000,
    priority: { value: 100, name: "medium", isDefault: true },
    noBatch: false,
    readiness: { baseBranchMatches: true, mergeability: "mergeable", draft: false, blockers: [] },
    runId: null,
    bisectionId: null,
    targets: null,
    targetsSeq: null,
    heldBehind: [],
    retryAt: null,
    attempts: 0,
    ...given,
  };
}
