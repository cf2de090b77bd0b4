/** The operation that merges with each method, as named in the sandbox's log. */
export const mergeCalls = {
  merge_commit: "graphql/updateRefs",
  squash: "pulls/merge",
  rebase: "pulls/merge",
} as const;

/** The REST version with which each method is played. Only merges by the API have their result read by REST. */
export const methodsAndVersions = [
  ["merge_commit", "2022-11-28"],
  ["squash", "2026-03-10"],
  ["rebase", "2026-03-10"],
] as const;
