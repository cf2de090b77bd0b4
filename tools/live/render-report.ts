import type { Observation } from "./claim.ts";
import type { LiveReport, Outcome } from "./run-live.ts";

export function countOutcomes({ claims }: LiveReport): Record<Outcome["kind"], number> {
  const counts = { same: 0, differs: 0, answered: 0, not_asked: 0 };
  for (const { outcome } of claims) counts[outcome.kind]++;
  return counts;
}

/** Renders the report as a table, followed by the differences in full. */
export function renderReport(report: LiveReport): string {
  const rows = report.claims.map(({ claim, outcome }) => [
    words[outcome.kind],
    claim.id,
    cut(show(claim.expected)),
    outcome.kind === "not_asked" ? "" : cut(show(outcome.observed)),
  ]);
  const differing = report.claims.filter(({ outcome }) => outcome.kind === "differs");
  const questions = report.claims.filter(({ claim }) => claim.isQuestion);
  const counts = countOutcomes(report);
  return [
    table([["Result", "Claim", "Expected", "Observed"], ...rows]),
    ...section(
      "What differs",
      differing.map(({ claim, outcome }) => compare(claim.id, claim.title, claim.expected, outcome)),
    ),
    ...section(
      "Questions",
      questions.map(({ claim, outcome }) => compare(claim.id, claim.title, claim.expected, outcome)),
    ),
    ...section(
      "Not asked",
      report.claims.flatMap(({ claim, outcome }) =>
        outcome.kind === "not_asked" ? [`${claim.id}: ${outcome.why}`] : [],
      ),
    ),
    ...section("Could not be deleted", report.left),
    "",
    `${counts.same} same, ${counts.differs} differ, ${counts.answered} questions answered, ${counts.not_asked} not asked.${closed(report)}`,
  ].join("\n");
}

/** Returns the report as one object for programs. */
export function reportAsJson(report: LiveReport) {
  return {
    repository: report.repository,
    run: report.run,
    counts: countOutcomes(report),
    claims: report.claims.map(({ claim, outcome }) => ({
      id: claim.id,
      title: claim.title,
      source: claim.source,
      isQuestion: claim.isQuestion ?? false,
      expected: claim.expected,
      ...outcome,
    })),
    notDeleted: report.left,
    closedPullRequests: report.pullRequests,
  };
}

const columnWidth = 48;

const words: Readonly<Record<Outcome["kind"], string>> = {
  same: "same",
  differs: "DIFFERS",
  answered: "answered",
  not_asked: "not asked",
};

function compare(id: string, title: string, expected: Observation, outcome: Outcome): string {
  const observed =
    outcome.kind === "not_asked"
      ? `not asked:        ${outcome.why}`
      : `GitHub says:      ${show(outcome.observed)}`;
  return `${id}: ${title}\n  ${observed}\n  the sandbox says: ${show(expected)}`;
}

function show(value: Observation): string {
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${show(one)}`)
    .join("; ");
}

/** Cuts a text to the width of a column. */
function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= columnWidth ? line : `${line.slice(0, columnWidth - 1)}…`;
}

function closed({ pullRequests }: LiveReport): string {
  if (pullRequests.length === 0) return "";
  return ` GitHub deletes no pull requests: ${pullRequests.length} stay, closed.`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
