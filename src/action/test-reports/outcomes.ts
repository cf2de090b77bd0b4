import type { AnswerOf } from "../../client/client.ts";
import { isTransient } from "../../client/errors.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import type { TestsRun } from "../commands/upload-tests.ts";
import { explainError } from "../explain-error.ts";
import { type Outcome, type StepContext, StepError, type Verdict } from "../step.ts";
import { code, escapeMarkdown } from "../summary.ts";
import type { UploadTestsInputs } from "./read-inputs.ts";

/** The outcomes of uploading test reports. Only the verdict `quarantined` turns failed tests into a step that passes. */

export type Judged = AnswerOf<"uploadTestResults">;

const mostListed = 100;

/** A verdict of a newer service with an unknown meaning, so nothing is forgiven. */
class UnknownVerdict extends StepError {
  constructor(verdict: string, { GITHUB_ACTION_REF: version }: StepContext["env"]) {
    const known = version ? `version ${version} of this Action` : "this version of the Action";
    super(
      "Unknown verdict",
      `The service answered "${verdict}", which ${known} does not know. Use a newer version of the Action.`,
    );
  }
}

/** The service has judged the reports. @throws UnknownVerdict */
export function judged(answer: Judged, { exitCode }: TestsRun, env: StepContext["env"]): Outcome {
  const { verdict, tests, failed_count, quarantined_count } = answer;
  if (!Object.hasOwn(titles, verdict)) throw new UnknownVerdict(verdict, env);
  const isForgiven = exitCode !== 0 && verdict === "quarantined";
  const end = isForgiven ? 0 : exitCode;
  return {
    ...ending(end),
    verdict,
    title: titles[verdict],
    message: messageOf(answer, exitCode),
    outputs: { "failed-count": String(failed_count), "quarantined-count": String(quarantined_count) },
    details: [
      `- tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped; in ${counted(answer.reports.length, "report")}`,
      ...answer.reports.flatMap(({ path, fault }) =>
        fault === null ? [] : [`- ${code(path)}: ${escapeMarkdown(fault.message)}`],
      ),
      ...maskedTable(answer),
      ...failedList(answer),
    ],
  };
}

/** The service gave no verdict, so the step ends as the tests did. */
export function notJudged(
  error: unknown,
  { exitCode }: TestsRun,
  { runner, workflow }: StepContext,
): Outcome {
  const { title, message } = explainError(error, null);
  const text = `${message} The reports were not evaluated, and the step succeeds or fails as the tests did.`;
  // The author of a fork's pull request cannot fix the cause.
  const isNoFault = isTransient(error) || error instanceof UnknownVerdict || workflow.pullRequest?.isFromFork;
  // A failing step is annotated in any case.
  if (exitCode === 0) runner.annotate(isNoFault ? "warning" : "error", title, text);
  return { ...ending(exitCode), verdict: "not-judged", title, message: text, outputs: {}, details: [] };
}

/** There is neither an API token nor a token of the job's own. */
export function withoutToken({ strict }: UploadTestsInputs, { exitCode }: TestsRun): Outcome {
  return {
    ...ending(exitCode === 0 && strict ? 1 : exitCode),
    verdict: "skipped",
    title: "No token",
    message:
      "The input api-token is empty, so the reports were not uploaded, and the step succeeds or fails as the tests did. Set it from a secret, or give the job `id-token: write`.",
    outputs: {},
    details: [],
  };
}

export function dryRun(found: number, { exitCode }: TestsRun): Outcome {
  const message = `Would upload ${counted(found, "report")}; the step succeeds or fails as the tests did.`;
  return { ...ending(exitCode), verdict: "dry-run", title: "Dry run", message, outputs: {}, details: [] };
}

/** The tests did not run to their end, so their reports are no evidence. */
export function notRun({ tests }: UploadTestsInputs): Outcome {
  const isSkipped = "outcome" in tests && tests.outcome === "skipped";
  const message = `The tests were ${isSkipped ? "skipped" : "cancelled"}, so nothing was uploaded.`;
  return {
    ...ending(isSkipped ? 0 : 1),
    verdict: "skipped",
    title: "Not run",
    message,
    outputs: {},
    details: [],
  };
}

const titles = {
  passed: "Passed",
  quarantined: "Passed: only quarantined tests failed",
  failed: "Failed",
  unknown: "No failure was forgiven",
} as const satisfies Record<Judged["verdict"], string> & Partial<Record<Verdict, string>>;

function ending(exitCode: number): Pick<Outcome, "isFailure" | "exitCode"> {
  return { isFailure: exitCode !== 0, exitCode };
}

function messageOf(
  { verdict, message, code, failed_count, quarantined_count }: Judged,
  exitCode: number,
): string {
  const forgiven = counted(
    quarantined_count,
    "failure of quarantined tests",
    "failures of quarantined tests",
  );
  if (exitCode === 0) return `The tests passed${quarantined_count > 0 ? `, with ${forgiven}` : ""}.`;
  switch (verdict) {
    case "quarantined":
      return `${forgiven}, and no other failure: the step passes.`;
    case "failed":
      return `${counted(failed_count, "test")} failed that ${failed_count === 1 ? "is" : "are"} not quarantined.`;
    default:
      return `The tests failed, and the reports do not show that only quarantined tests failed (${code}). ${message}`.trim();
  }
}

function maskedTable({ quarantined, quarantined_count: count }: Judged): string[] {
  if (count === 0) return [];
  const rows = quarantined
    .slice(0, mostListed)
    .map(({ name, classname, quarantine_owner, quarantine_expires_at, quarantine_reason, ticket_url }) => {
      const cells = [
        escapeMarkdown(classname === null ? name : `${classname} › ${name}`),
        escapeMarkdown(quarantine_owner ?? "nobody"),
        ticketLink(ticket_url),
        quarantine_expires_at?.slice(0, 10) ?? "",
        escapeMarkdown(quarantine_reason),
      ];
      return `| ${cells.join(" | ")} |`;
    });
  const header = ["| masked test | owner | ticket | until | why |", "|---|---|---|---|---|"];
  return ["", ...header, ...rows, ...remaining(count - rows.length), ""];
}

function failedList({ failed, failed_count: count }: Judged): string[] {
  const lines = failed.slice(0, mostListed).map(({ name, classname, summary }) => {
    const test = classname === null ? name : `${classname} › ${name}`;
    return `- failed: ${escapeMarkdown(test)}${summary === "" ? "" : `: ${escapeMarkdown(summary)}`}`;
  });
  return [...lines, ...remaining(count - lines.length)];
}

function remaining(count: number): string[] {
  return count > 0 ? ["", `and ${count} more`] : [];
}

function ticketLink(address: string | null): string {
  const url = address === null ? null : URL.parse(address);
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    return address === null ? "" : escapeMarkdown(address);
  return `[${escapeMarkdown(url.pathname.split("/").at(-1) || url.host)}](<${url.href.replaceAll(/[<>|]/g, encodeURIComponent)}>)`;
}
