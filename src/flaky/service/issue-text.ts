import { oneLine, renderCode } from "../../command/escape-markdown.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import { renderStatusReason } from "../detection/status.ts";
import type { TestDetails } from "../store/reads/test-records.ts";

const mostOwners = 10;

export function renderIssueTitle({ name, status }: TestDetails): string {
  const kind = status.status === "BROKEN" ? "Broken test" : "Flaky test";
  return `${kind}: ${quietly(oneLine(name, 200))}`;
}

/**
 * The body of a test's issue. Texts from tests are rendered as code, where Markdown, mentions and issue
 * references have no effect. Of failures only the masked line is shown.
 */
export function renderIssueBody(test: TestDetails, testUrl: string): string {
  const { status, lastWeek, commonFailures, pullRequestsImpacted } = test;
  const owners = renderOwners(test.codeowners);
  const figures = [
    `- It failed in ${lastWeek.failures} of ${counted(lastWeek.runs, "run")} of the last seven days.`,
    ...(pullRequestsImpacted > 0
      ? [`- It has failed ${counted(pullRequestsImpacted, "pull request")} in the last seven days.`]
      : []),
    ...commonFailures.map(({ summary, count }) => `- ${counted(count, "time")}: ${renderCode(summary)}`),
  ];
  return [
    ...(owners === "" ? [] : [owners, ""]),
    `${renderStatus(test)} These figures are from ${new Date(status.at).toISOString()}; [the test's page](${testUrl}) shows the current ones.`,
    "",
    ...nameLines(test),
    "",
    // Separates two lists, which Markdown would join.
    "What was seen:",
    "",
    ...figures,
    "",
    ...renderQuarantining(test, testUrl),
    "",
    "This issue is closed when the test has recovered, and reopened when it becomes flaky again.",
  ].join("\n");
}

/** The comment for a status change of a test that has an issue. */
export function renderIssueComment(test: TestDetails, testUrl: string): string {
  return `${renderStatus(test)} [The test's page](${testUrl}) has the evidence.`;
}

export const goneComment =
  "The test has not run for a long time, so its results were deleted. If it runs again and is flaky, a new issue is opened.";

const words = { FLAKY: "is **flaky**", BROKEN: "is **broken**", HEALTHY: "has **recovered**" } as const;

function renderStatus({ status }: TestDetails): string {
  return `The test ${words[status.status]}: ${renderStatusReason(status.reason)}.`;
}

function nameLines({ name, parent, file, classname, variant }: TestDetails): string[] {
  const parts = { Test: name, Suite: parent, Class: classname, File: file, Variant: variant };
  return Object.entries(parts).flatMap(([what, text]) => (text ? [`- ${what}: ${renderCode(text)}`] : []));
}

function renderQuarantining({ repo: { host, owner, name }, id }: TestDetails, testUrl: string): string[] {
  const body = {
    repo: { host, owner, name },
    ...{ test_case_id: id, quarantine_setting: "ALWAYS_QUARANTINE", reason: "…" },
  };
  return [
    "To quarantine the test for a while (`NEVER_QUARANTINE`: never; `AUTO_QUARANTINE`: as long as it is flaky):",
    "",
    "```sh",
    `curl ${new URL(testUrl).origin}/v1/flaky-tests/set-quarantine -H "x-api-token: $TOKEN" -H "content-type: application/json" \\`,
    `  -d '${JSON.stringify(body)}'`,
    "```",
  ];
}

/**
 * Owners that are users or teams of the code host are mentioned. Others, such as email addresses, are only
 * named.
 */
function renderOwners(owners: readonly string[]): string {
  const shown = owners
    .slice(0, mostOwners)
    .map((owner) => (isMention.test(owner) ? owner : renderCode(owner)));
  return shown.join(" ");
}

const isMention = /^@[a-z\d](?:[\w-]{0,98}[a-z\d_])?(?:\/[\w.-]{1,100})?$/i;

/** Titles are not Markdown, but this prevents mentions in any case. */
function quietly(text: string): string {
  return text.replaceAll("@", "@\u200b");
}
