/** The operation that merges with each method, as the sandbox's log names it. */
export const mergeCalls = {
  merge_commit: "graphql/updateRefs",
  squash: "pulls/merge",
  rebase: "pulls/merge",
} as const;
