/** The operation that merges with each method, as the sandbox's log names it. */
export const mergeCalls = {
  merge_commit: "graphql/updateRefs",
  squash: "pulls/merge",
  rebase: "pulls/merge",
} as const;

/** By which REST version each method is played. What a merge became is read by REST with the API's merges only. */
export const methodsAndVersions = [
  ["merge_commit", "2022-11-28"],
  ["squash", "2026-03-10"],
  ["rebase", "2026-03-10"],
] as const;
