import { escapeMarkdown } from "../../command/escape-markdown.ts";
import { assertNever } from "../../engine/assert-never.ts";
import type { MergeProof, Reason } from "../../engine/reasons/reason.ts";
import { capitalised, namesOf } from "../../engine/reasons/sentence.ts";

/** Says how a merged pull request was proved; empty if its reason has no proof. `branch` is Markdown. */
export function proofText(reason: Reason, branch: string): string {
  if (reason.code === "TREE_MISMATCH") {
    const check = reason.pushed
      ? "run CI on the branch, because that push and this pull request were not tested together"
      : "compare the two trees";
    return `**The tree on the branch is not the tree that was tested.** The queue is paused. An administrator has to ${check}, repair the branch if need be, and set the queue to running.`;
  }
  if (reason.code !== "MERGED_IN_ORDER" && reason.code !== "DIRECT_MERGED") return "";
  return [proofSentence(reason.proof, branch), ...sparedTexts(reason)].join(" ");
}

function proofSentence(proof: MergeProof, branch: string): string {
  switch (proof) {
    case "exact":
      return `${capitalised(branch)} points to exactly the commit that was tested.`;
    case "same_tree":
      return `The tree on ${branch} is exactly what was tested.`;
    case "composed":
      return `The tree on ${branch} is what was tested, together with merges that it does not depend on.`;
    case "batch":
      return "It was tested as part of a batch, which passed.";
    case "successor":
      return "It was tested as part of a pull request behind it, which passed.";
    case "head":
      return `The tree on ${branch} is exactly that of its head, which was up to date and had passed.`;
    default:
      return assertNever(proof);
  }
}

/** Failures that did not count. */
function sparedTexts(reason: Extract<Reason, { code: "MERGED_IN_ORDER" | "DIRECT_MERGED" }>): string[] {
  if (reason.code !== "MERGED_IN_ORDER") return [];
  const { forgiven, retried, retriedNew } = reason;
  return [
    ...(forgiven
      ? [`Quarantined tests failed and did not count: ${escapeMarkdown(namesOf(forgiven))}.`]
      : []),
    ...(retried
      ? [`Its checks were re-run because of known flaky tests: ${escapeMarkdown(namesOf(retried))}.`]
      : []),
    ...(retriedNew
      ? [`New tests failed, and passed in a re-run: ${escapeMarkdown(namesOf(retriedNew))}.`]
      : []),
  ];
}
