import type { Diagnosis } from "../service/doctor/doctor.ts";
import { type Finding, type Severity, severities } from "../service/doctor/finding.ts";
import { widthOf, wrapText } from "./wrap-text.ts";

const headings: Readonly<Record<Severity, string>> = { error: "Errors", warning: "Warnings", note: "Notes" };

/** Renders the findings for a terminal, worst first. */
export function renderDiagnosis(name: string, { findings, unexamined }: Diagnosis): string {
  const groups = severities.flatMap((severity) => {
    const found = findings.filter((finding) => finding.severity === severity);
    return found.length === 0 ? [] : [`${headings[severity]} (${found.length})`, ...found.map(renderFinding)];
  });
  const reasons = Map.groupBy(unexamined, ({ why }) => why);
  const unknown = [...reasons].map(([why, of]) => `  ${of.map(({ code }) => code).join(", ")}\n    ${why}`);
  const parts = [
    findings.length === 0 ? `${name}: nothing is wrong` : name,
    ...groups,
    ...(unknown.length > 0 ? [`Not examined (${unexamined.length})`, ...unknown] : []),
  ];
  return wrapText(printable(parts.join("\n\n")), widthOf(process.stdout, Number.POSITIVE_INFINITY));
}

function renderFinding({ code, title, cause, evidence, fix }: Finding): string {
  const where = fix.url === null ? [] : [`           ${fix.url}`];
  return [
    `  ${code}: ${title}`,
    `    Cause: ${cause}`,
    `    Seen:  ${evidence}`,
    `    Fix:   ${fix.text}`,
    ...where,
  ].join("\n");
}

/** Removes control characters, which names of rulesets and files may contain and a terminal would obey. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, "?");
}
