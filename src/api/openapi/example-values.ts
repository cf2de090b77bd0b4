/** Values that several examples share. */

export const repo = { host: "github.com", owner: "acme", name: "widgets" };
export const queue = { repo, targetBranch: "main" };
export const sha = "0f0fad9e3418d40c5b2df91193f0bab6d47837e7";

export const entryFields = {
  id: "610ca880-fbac-47a5-91f6-46602eb21977",
  stateChangedAt: "2026-03-01T12:00:00.000Z",
  priorityValue: 100,
  priorityName: "medium",
  usedDefaultPriorityName: "medium",
  skipTheLine: false,
  noBatch: false,
  prNumber: 12,
  prTitle: "Add a widget",
  prSha: sha,
  prBaseBranch: "main",
  prAuthor: "alice",
} as const;

export const forecast = { p50: "2026-03-01T12:20:00.000Z", p90: "2026-03-01T12:45:00.000Z", basedOn: 120 };
