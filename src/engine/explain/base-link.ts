import { isJudgedAfterBase } from "../model/base-test.ts";
import type { Entry } from "../model/entry.ts";
import type { QueueState } from "../model/queue.ts";
import { policyOf } from "../policies/policy-of.ts";
import { inSentences } from "../reasons/sentence.ts";
import { type ExplainLink, link } from "./explain-link.ts";

/** Explains that a failed entry is not judged before the base has been tested; null if it does not wait for that. */
export function baseLink(state: QueueState, entry: Entry): ExplainLink | null {
  // In a line, a pending entry waits for its second test.
  const isJudgedNext =
    entry.state === "pending_failure" || (entry.state === "pending" && policyOf(state).name !== "fixed");
  if (!isJudgedNext || !isJudgedAfterBase(state, entry.pr)) return null;
  const { baseTest, branch } = state;
  const text = inSentences(
    "it failed, and nothing has passed since its first failure",
    `the target branch ${branch} ${baseTest ? "is being tested" : "will be tested"} by itself, to tell a bad pull request from a broken branch`,
  );
  const base = link(entry, "BASE_TESTED", text);
  return baseTest ? { ...base, since: baseTest.startedAt } : base;
}
