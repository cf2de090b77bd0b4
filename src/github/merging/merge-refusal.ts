import type { MergeStop } from "../../engine/model/merge-attempt.ts";
import type { RefusalCause } from "../../engine/reasons/refusal-cause.ts";
import { messageOf, statusOf } from "../client/code-host-error.ts";

export interface MergeRefusal {
  /**
   * The final meaning. `may_pass`: the refusal may be temporary, and counts if it lasts. `busy`: the refusal is temporary,
   * regardless of how long it lasts, or the next reading shows the reason.
   */
  readonly stop: MergeStop | "may_pass" | "busy";
  /** The meaning if the refusal has not passed within seconds. */
  readonly lasting?: MergeStop;
  readonly message: string;
}

/**
 * Classifies GitHub's refusal of `PUT …/pulls/{n}/merge`. Throws the error again if the merge may have happened (5xx, a broken
 * connection), or if it is no known refusal.
 */
export function classifyMergeRefusal(error: unknown): MergeRefusal {
  const refusal = classifyRefusalWords(statusOf(error), messageOf(error));
  if (refusal === null) throw error;
  return refusal;
}

const mayPass: ReadonlySet<RefusalCause> = new Set<RefusalCause>([
  // The tests were built by the same rebase. After the previous merge, GitHub may not have computed its own yet.
  "REBASE_NOT_POSSIBLE",
  // A review may have been dismissed just now. The next reading shows that, and the pull request keeps its place until it is approved
  // again.
  "REVIEW_MISSING",
]);

/** GitHub's texts vary, so the patterns are loose. Null: not a known refusal. */
export function classifyRefusalWords(status: number | null, words: string): MergeRefusal | null {
  const message = words.replace(/\s+/g, " ").trim();
  const mayRefuse = status === 403 || status === 405 || status === 409 || status === 422;
  if (mayRefuse && isOfHook(message)) return { stop: { kind: "refused", message }, message };
  const cause = causeOf(message);
  if (mayRefuse && cause !== null) {
    const stop: MergeStop = { kind: "refused", message, cause };
    return mayPass.has(cause) ? { stop: "may_pass", lasting: stop, message } : { stop, message };
  }
  if (status === 423) return { stop: "busy", message };
  if (status === 405 || status === 409) {
    // GitHub also says "Head branch was modified" when it was not. The next reading of the pull request shows whether it was.
    if (/(head|base) branch was modified|in progress/i.test(message)) return { stop: "busy", message };
    if (/status check|expected|not mergeable/i.test(message)) return { stop: "may_pass", message };
    const isRule = /not allowed|protected|rule/i.test(message);
    return { stop: status === 409 && !isRule ? "busy" : { kind: "refused", message }, message };
  }
  // Other denials, and 404, also occur during incidents of GitHub.
  if (status === 403 && /protected|rule|`?workflows`? permission|not allowed/i.test(message)) {
    return { stop: { kind: "refused", message }, message };
  }
  return status === 422 ? { stop: { kind: "refused", message }, message } : null;
}

/** GitHub's texts vary, so the patterns are loose. The first match applies; causes about the pull request come first. */
const patterns: readonly (readonly [RegExp, RefusalCause])[] = [
  // These two come first: their messages quote paths, in which an author may write the words of the others.
  [/create or update workflow|`workflows?` (permission|scope)/i, "WORKFLOWS_PERMISSION_MISSING"],
  [/file (path|size|extension)|maximum size|file .* (is restricted|exceeds)/i, "FILE_RULE"],
  // While the branch is locked, this cause applies in addition to all others.
  [/locked branch/i, "BRANCH_LOCKED"],
  [
    /approving review|changes (have been )?requested|code owner|last pusher|conversation must be resolved|review is required/i,
    "REVIEW_MISSING",
  ],
  [/commit (message|author|email)|committer email/i, "COMMIT_MESSAGE_RULE"],
  // Also for signed commits: a rebase makes new ones.
  [/rebase merges cannot be .*signed/i, "REBASE_NOT_SIGNED"],
  [/(verified|valid) signature/i, "SIGNATURE_MISSING"],
  [/code scanning/i, "CODE_SCANNING_MISSING"],
  [/missing successful .*deployment/i, "DEPLOYMENT_MISSING"],
  [/can('t|not) be rebased/i, "REBASE_NOT_POSSIBLE"],
  [/merge queue/i, "MERGE_QUEUE_REQUIRED"],
  [/creations being restricted|cannot create ref/i, "CREATION_RESTRICTED"],
  [/branch name must/i, "BRANCH_NAME_RULE"],
  [/cannot update this protected ref|not authorized|not allowed to push/i, "UPDATES_RESTRICTED"],
  [/not allowed on this (repository|branch)|merge method/i, "MERGE_METHOD_OFF"],
  [/must not contain merge commits/i, "LINEAR_HISTORY_REQUIRED"],
];

/** Such a message ends with the text of the administrators' hook, which says nothing about GitHub's own reasons. */
function isOfHook(message: string): boolean {
  return /\bpre-receive hook/i.test(message);
}

/** The cause of a refusal; null when no pattern matches its message. */
export function causeOf(message: string): Exclude<RefusalCause, "OTHER"> | null {
  if (isOfHook(message)) return null;
  const found = patterns.find(([pattern]) => pattern.test(message));
  return (found?.[1] as Exclude<RefusalCause, "OTHER"> | undefined) ?? null;
}
