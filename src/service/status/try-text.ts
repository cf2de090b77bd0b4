import { escapeMarkdown, renderCode, renderLink } from "../../command/escape-markdown.ts";
import type { TryReport, TryVerdict } from "../../engine/model/tries/try.ts";
import type { Reason } from "../../engine/reasons/reason.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence } from "../../engine/reasons/sentence.ts";

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
