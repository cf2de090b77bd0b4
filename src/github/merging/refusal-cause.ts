import type { RefusalCause } from "../../engine/reasons/refusal-cause.ts";

/** GitHub's texts vary, so the patterns are loose. The first match applies; causes about the pull request come first. */
const patterns: readonly (readonly [RegExp, RefusalCause])[] = [
  // These two come first: their messages quote paths, in which an author may write the words of the others.
  [/create or update workflow|`workflows?` (permission|scope)/i, "WORKFLOWS_PERMISSION_MISSING"],
  [/file (path|size|extension)|maximum size|file .* (is restricted|exceeds)/i, "FILE_RULE"],
  [
    /approving review|changes (have been )?requested|code owner|last pusher|conversation must be resolved|review is required/i,
    "REVIEW_MISSING",
  ],
  [/commit (message|author|email)|committer email/i, "COMMIT_MESSAGE_RULE"],
  // Also for signed commits: a rebase makes new ones.
  [/rebase merges cannot be .*signed/i, "REBASE_NOT_SIGNED"],
  [/(verified|valid) signature/i, "SIGNATURE_MISSING"],
  [/code scanning/i, "CODE_SCANNING_MISSING"],
  [/can('t|not) be rebased/i, "REBASE_NOT_POSSIBLE"],
  [/merge queue/i, "MERGE_QUEUE_REQUIRED"],
  [/creations being restricted|cannot create ref/i, "CREATION_RESTRICTED"],
  [/branch name must/i, "BRANCH_NAME_RULE"],
  [/cannot update this protected ref|not authorized|not allowed to push/i, "UPDATES_RESTRICTED"],
  [/not allowed on this (repository|branch)|merge method/i, "MERGE_METHOD_OFF"],
  [/must not contain merge commits/i, "LINEAR_HISTORY_REQUIRED"],
];

/** The cause of a refusal; null when no pattern matches its message. */
export function causeOf(message: string): Exclude<RefusalCause, "OTHER"> | null {
  const found = patterns.find(([pattern]) => pattern.test(message));
  return (found?.[1] as Exclude<RefusalCause, "OTHER"> | undefined) ?? null;
}
