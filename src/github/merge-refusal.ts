import type { MergeStop } from "../engine/model/merge-attempt.ts";
import { isAboutPullRequest } from "../engine/reasons/refusal-cause.ts";
import { messageOf, statusOf } from "./code-host-error.ts";
import { causeOf } from "./refusal-cause.ts";

export interface MergeRefusal {
  /**
   * What it means for good. `may_pass`: it may pass by itself, and counts when it lasts. `busy`: it does pass, however long that takes,
   * or the next reading says why not.
   */
  readonly stop: MergeStop | "may_pass" | "busy";
  /** What it means once it has not passed within seconds. */
  readonly lasting?: MergeStop;
  readonly message: string;
}

/**
 * What GitHub means by refusing `PUT …/pulls/{n}/merge`. An answer after which the merge may have happened (5xx, a broken connection),
 * and one that may pass, is thrown on.
 */
export function classifyMergeRefusal(error: unknown): MergeRefusal {
  const refusal = classifyRefusalWords(statusOf(error), messageOf(error));
  if (refusal === null) throw error;
  return refusal;
}

/** GitHub's texts vary, so they are matched loosely. Null: it is not known to be a refusal. */
export function classifyRefusalWords(status: number | null, words: string): MergeRefusal | null {
  const message = words.replace(/\s+/g, " ").trim();
  const cause = causeOf(message);
  if (cause !== null && (status === 403 || status === 405 || status === 409 || status === 422)) {
    const kind = isAboutPullRequest(cause) ? "refused" : "not_allowed";
    const stop: MergeStop = { kind, message, cause };
    // The tests were built by the same rebase. GitHub may not have computed its own yet, after what merged just before.
    return cause === "REBASE_NOT_POSSIBLE" ? { stop: "may_pass", lasting: stop, message } : { stop, message };
  }
  if (status === 423) return { stop: "busy", message };
  if (status === 405 || status === 409) {
    // "Head branch was modified" also comes when it was not: the next look at the pull request tells.
    if (/(head|base) branch was modified|in progress/i.test(message)) return { stop: "busy", message };
    if (/status check|expected|not mergeable/i.test(message)) return { stop: "may_pass", message };
    const forAll = /not allowed on this repository|not authorized|protected|rule/i.test(message);
    if (status === 409 && !forAll) return { stop: "busy", message };
    return { stop: { kind: forAll ? "not_allowed" : "refused", message }, message };
  }
  // Other denials, and 404, come and go with GitHub's incidents.
  if (status === 403 && /protected|rule|`?workflows`? permission|not allowed/i.test(message)) {
    return { stop: { kind: "not_allowed", message }, message };
  }
  return status === 422 ? { stop: { kind: "refused", message }, message } : null;
}
