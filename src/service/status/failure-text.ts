import { escapeMarkdown, renderCode, renderLink } from "../../command/escape-markdown.ts";
import type { Entry } from "../../engine/model/entry.ts";
import type { Reason } from "../../engine/reasons/reason.ts";
import { reasonGuides } from "../../engine/reasons/reason-guide.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
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
