import { type Entry, isTerminal } from "../engine/entry.ts";
import { type Reason, renderReason } from "../engine/reason.ts";
import type { CheckRunContent } from "../ports/code-host.ts";
import type { EntryView } from "./views.ts";

/** Everything that people read on a pull request is made here. */

export interface StatusContext {
  readonly branch: string;
  /** The queue's page; null when the dashboard has no public address. */
  readonly queueUrl: string | null;
  readonly commandPrefix: string;
}

const maxListedChecks = 5;

/** The check on the head: the state, and why. */
export function renderCheck(view: EntryView, context: StatusContext): CheckRunContent {
  const { entry } = view;
  return {
    name: `Trainyard (${context.branch})`,
    headSha: entry.headSha,
    externalId: entry.id,
    detailsUrl: context.queueUrl,
    ...checkStatus(entry),
    title: checkTitle(view),
    summary: [...chain(view), ...failureTable(entry.reason), ...runLines(view)].join("\n"),
  };
}

/**
 * The one comment. Of a live entry it says only what does not change from minute to minute: for that, people look at the
 * check, and the comment need not be edited.
 */
export function renderComment(view: EntryView | null, notice: string | null, context: StatusContext): string {
  const parts = [
    view ? entryText(view, context) : [],
    notice ? ["", `> ${notice.replaceAll("\n", "\n> ")}`] : [],
  ];
  return parts.flat().join("\n").trim();
}

function entryText({ entry }: EntryView, context: StatusContext): string[] {
  const where = context.queueUrl ? `[the queue](${context.queueUrl})` : "the queue";
  const again = `comment \`${context.commandPrefix} merge\``;
  const branch = `\`${context.branch}\``;
  switch (entry.state) {
    case "merged":
      return [`**Merged** into ${branch}: ${sentence(entry.reason)}`, proofText(entry.reason)];
    case "failed":
      return [
        `**Removed from the queue** for ${branch}: ${sentence(entry.reason)}`,
        "",
        ...failureTable(entry.reason),
        `@${entry.author}: ${nextStep(entry.reason)}, then ${again} to queue it again.`,
      ];
    case "cancelled":
      return [
        `**Taken out of the queue** for ${branch}: ${sentence(entry.reason)} To queue it again, ${again}.`,
      ];
    case "not_ready":
      return [
        `**Submitted** to ${where} for ${branch} at \`${entry.headSha.slice(0, 7)}\`; it will be tested as soon as it is ready. Waiting for:`,
        ...readinessLines(entry),
      ];
    case "pending":
    case "testing":
    case "tests_passed":
    case "pending_failure":
      return [
        `**Queued** in ${where} for ${branch} at \`${entry.headSha.slice(0, 7)}\` (${sentence(entry.admittedBy.kind === "user" ? `@${entry.admittedBy.name}` : entry.admittedBy.name, `priority ${entry.priority.name}`)}). The check **Trainyard (${context.branch})** shows how it is doing. A push takes it out; so does \`${context.commandPrefix} cancel\`.`,
      ];
  }
}

function checkStatus(entry: Entry): Pick<CheckRunContent, "status" | "conclusion"> {
  switch (entry.state) {
    case "not_ready":
    case "pending":
      return { status: "queued", conclusion: null };
    case "testing":
    case "tests_passed":
    case "pending_failure":
      return { status: "in_progress", conclusion: null };
    case "merged":
      return { status: "completed", conclusion: "success" };
    case "failed":
      return { status: "completed", conclusion: "failure" };
    case "cancelled":
      return { status: "completed", conclusion: "cancelled" };
  }
}

function checkTitle({ entry, why, position }: EntryView): string {
  const state = entry.state.replaceAll("_", " ");
  const cause = isTerminal(entry.state) ? renderReason(entry.reason) : (why.at(-1)?.text ?? "");
  const place = position === null || isTerminal(entry.state) ? "" : ` (${position}.)`;
  return `${state}${place}: ${cause}`.slice(0, 250);
}

function chain(view: EntryView): string[] {
  return view.why.map((link) => `- ${link.text} (since ${new Date(link.since).toISOString()})`);
}

function readinessLines(entry: Entry): string[] {
  const { readiness } = entry;
  const lines = readiness.blockers.map((blocker) => `- ${blocker}`);
  if (!readiness.baseBranchMatches) lines.push(`- its base branch is \`${entry.baseBranch}\``);
  if (readiness.draft) lines.push("- it is a draft");
  if (readiness.mergeability === "in_progress") lines.push("- GitHub is computing whether it is mergeable");
  if (readiness.mergeability === "not_mergeable" && readiness.blockers.length === 0) {
    lines.push("- GitHub says that it is not mergeable");
  }
  return lines;
}

function failureTable(reason: Reason): string[] {
  if (reason.code !== "CHECKS_FAILED") return [];
  const rows = reason.checks.slice(0, maxListedChecks).map(({ name, conclusion, url }) => {
    const cell = `\`${name.replaceAll(/[`|\n]/g, " ")}\``;
    return `| ${url ? `[${cell}](${url})` : cell} | ${conclusion} |`;
  });
  const more = reason.checks.length - rows.length;
  return [
    "| failed check | conclusion |",
    "|---|---|",
    ...rows,
    ...(more > 0 ? [`\n…and ${more} more`] : []),
    "",
  ];
}

function runLines({ run }: EntryView): string[] {
  if (!run?.branch) return [];
  const ahead = run.ahead.length === 0 ? "the base alone" : run.ahead.map((pr) => `#${pr}`).join(", ");
  return ["", `Tested on top of ${ahead}, on branch \`${run.branch}\`.`];
}

function proofText(reason: Reason): string {
  if (reason.code === "TREE_MISMATCH") {
    return "**The tree on the branch is not the tree that was tested.** The queue is paused until somebody has looked at it.";
  }
  if (reason.code !== "MERGED_IN_ORDER") return "";
  return reason.proof === "exact"
    ? "The commit on the branch is the very commit that passed."
    : "Its tree is the very tree that passed.";
}

function nextStep(reason: Reason): string {
  switch (reason.code) {
    case "MERGE_CONFLICT_WITH_BASE":
      return "update your branch and resolve the conflict";
    case "CHECKS_FAILED":
    case "TESTING_TIMEOUT":
      return "look at the checks and push a fix";
    case "NO_REQUIRED_CHECKS":
      return "set required checks in the branch's protection, or `requiredStatuses` of the queue";
    default:
      return "see to the cause";
  }
}

function sentence(reason: Reason | string, ...more: string[]): string {
  const text = typeof reason === "string" ? [reason, ...more].join(", ") : `${renderReason(reason)}.`;
  return text;
}
