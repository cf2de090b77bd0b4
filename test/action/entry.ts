import type { Entry } from "../../src/action/step.ts";

const since = "2026-01-02T03:04:05.678Z";

/** A pull request as the service returns it. */
export function entryOf(changes: Partial<Entry> & { text?: string } = {}): Entry {
  const { text = "its tests are running", ...fields } = changes;
  return {
    id: "00000000-0000-4000-8000-000000000000",
    state: "testing",
    stateChangedAt: since,
    priorityValue: 100,
    priorityName: "medium",
    usedDefaultPriorityName: "medium",
    skipTheLine: false,
    noBatch: false,
    prNumber: 12,
    prTitle: "A title",
    prSha: "a".repeat(40),
    prBaseBranch: "main",
    prAuthor: "alice",
    forecast: null,
    readiness: {
      hasImpactedTargets: false,
      requiresImpactedTargets: false,
      doesBaseBranchMatch: true,
      gitHubMergeability: "mergeable",
    },
    forceEnqueued: false,
    isCurrentlySubmittedToQueue: true,
    submittedBy: "alice",
    submittedVia: "action",
    merged: null,
    url: null,
    verifiedByTestRun: null,
    position: 1,
    reason: "TESTS_STARTED",
    why: [{ code: "WAITING_FOR_CHECKS", since, until: null, text, refs: [] }],
    ...fields,
  };
}
