import { escapeMarkdown, renderCode, renderLink } from "../../command/escape-markdown.ts";
import { assertNever } from "../../engine/assert-never.ts";
import type { Entry } from "../../engine/model/entry.ts";
import type { TryReport, TryVerdict } from "../../engine/model/tries/try.ts";
import type { MergeProof, Reason } from "../../engine/reasons/reason.ts";
import { reasonGuides } from "../../engine/reasons/reason-guide.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised, namesOf } from "../../engine/reasons/sentence.ts";
import type { ConflictDetails } from "../../ports/code-host/merging.ts";
import type { FailureEvidence } from "./failure-evidence.ts";

const maxListed = 5;

/** Why an entry ended, as sentences in Markdown. The table of failed checks links their logs. */
export function endText({ reason }: Entry, evidence: FailureEvidence | null, branch: string): string {
  if (reason.code === "MERGE_CONFLICT_WITH_BASE") return conflictText(evidence?.conflict ?? null, branch);
  if (reason.code === "CHECKS_FAILED") return failedChecksText(reason, evidence, branch);
  return capitalised(asSentence(renderReason(reason, escapeMarkdown)));
}

function conflictText(conflict: ConflictDetails | null, branch: string): string {
  const base = `Conflicts with ${renderCode(branch)}`;
  const [path, ...others] = conflict?.paths ?? [];
  if (path === undefined) return `${base}.`;
  // Both sides may change a file in different places without a conflict.
  if (others.length > 0) return `${base}. Both changed ${codes([path, ...others])}.`;
  const since = conflict?.since ?? null;
  return `${base}${since === null ? "" : ` since #${since} merged`}, in ${renderCode(path)}.`;
}

function failedChecksText(
  { checks }: Extract<Reason, { code: "CHECKS_FAILED" }>,
  evidence: FailureEvidence | null,
  branch: string,
): string {
  const names = [...new Set(checks.map(({ name }) => name))];
  const below = evidence?.below ?? [];
  const place = below.length > 0 ? `on top of ${numbers(below)}` : `together with ${renderCode(branch)}`;
  const failed = `${codes(names)} failed ${place}`;
  const passed = names.filter((name) => evidence?.passedAlone.includes(name));
  if (passed.length === 0) return `${failed}.`;
  const other = below.length > 0 ? numbers(below) : `a change on ${renderCode(branch)}`;
  if (passed.length === names.length)
    return `${failed}, but passed on your branch alone: probably an interaction with ${other}.`;
  return `${failed}. On your branch alone, ${codes(passed)} passed.`;
}

/** A table of the failed checks, with links to their logs. Empty when the reason names none. */
export function failureTable(reason: Reason): string[] {
  if (reason.code !== "CHECKS_FAILED" && reason.code !== "TESTS_CANCELLED") return [];
  const rows = reason.checks
    .slice(0, maxListed)
    .map(
      ({ name, conclusion, url }) =>
        `| ${renderLink(renderCode(name), url)} | ${escapeMarkdown(conclusion)} |`,
    );
  const more = reason.checks.length - rows.length;
  return [
    "| failed check | conclusion |",
    "|---|---|",
    ...rows,
    ...(more > 0 ? [`\n…and ${more} more`] : []),
    "",
  ];
}

/** The tests that failed, in Markdown; empty if no report names them. */
export function failedTestLines(evidence: FailureEvidence | null): string[] {
  return evidence?.failedTests.length ? [`Failed tests: ${codes(evidence.failedTests)}.`, ""] : [];
}

/** The failed runs of required checks on the head, and what to do about them. */
export function failedOnHeadLines({ readiness: { failedOnHead = [] } }: Entry): string[] {
  if (failedOnHead.length === 0) return [];
  const table = failureTable({ code: "CHECKS_FAILED", checks: failedOnHead });
  return ["", "Look at what failed on its head, and push a fix:", "", ...table.slice(0, -1)];
}

/** What to do next, as sentences. */
export function adviceOn({ code }: Reason): string {
  return reasonGuides[code].advice ?? "Look at the reason above.";
}

const codes = (names: readonly string[]): string => listed(names.map(renderCode));
const numbers = (prs: readonly number[]): string => listed(prs.map((pr) => `#${pr}`));

function listed(items: readonly string[]): string {
  const more = items.length - maxListed;
  return `${items.slice(0, maxListed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Says how a merged pull request was proved; empty if its reason has no proof. `branch` is Markdown. */
export function proofText(reason: Reason, branch: string): string {
  if (reason.code === "TREE_MISMATCH") {
    const check = reason.pushed
      ? "run CI on the branch, because that push and this pull request were not tested together"
      : "compare the two trees";
    return `**The tree on the branch is not the tree that was tested.** The queue is paused. An administrator has to ${check}, repair the branch if necessary, and set the queue to running.`;
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
      return `The tree on ${branch} is the tested one plus merges that this pull request does not depend on.`;
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

const maxListedChecks = 5;

const titles: Readonly<Record<TryVerdict, string>> = {
  passed: "Try passed",
  failed: "Try failed",
  stopped: "Try stopped",
};

/** How a try ended, in Markdown. */
export function tryReportText(report: TryReport, branch: string, commandPrefix: string): string {
  const { headSha, baseSha, verdict, reason } = report;
  const base = baseSha === null ? renderCode(branch) : `${renderCode(branch)} at \`${baseSha.slice(0, 7)}\``;
  const why = asSentence(renderReason(reason, escapeMarkdown));
  const what = `**${titles[verdict]}** for \`${headSha.slice(0, 7)}\` on ${base}: ${why} (\`${reason.code}\`)`;
  return [`${what} ${nextStep(verdict, commandPrefix)}`, ...failedChecks(reason)].join("\n");
}

function nextStep(verdict: TryVerdict, prefix: string): string {
  switch (verdict) {
    case "passed":
      return `Nothing was merged. To queue it, comment \`${prefix} merge\`.`;
    case "failed":
      return `Nothing was merged. Once it is fixed, comment \`${prefix} try\` again.`;
    case "stopped":
      return `To try it again, comment \`${prefix} try\`.`;
  }
}

function failedChecks(reason: Reason): string[] {
  if (reason.code !== "CHECKS_FAILED") return [];
  const listed = reason.checks
    .slice(0, maxListedChecks)
    .map(
      ({ name, conclusion, url }) => `- ${renderLink(renderCode(name), url)}: ${escapeMarkdown(conclusion)}`,
    );
  return ["", ...listed];
}
