import {
  escapeMarkdown,
  oneLine,
  renderCode,
  renderLink,
  renderMention,
} from "../../command/escape-markdown.ts";
import { renderOrdinal, renderTime } from "../../command/render-time.ts";
import type { ExplainLink } from "../../engine/explain/explain-link.ts";
import { ownCheckName } from "../../engine/model/checks/required-checks.ts";
import { type Entry, isTerminal } from "../../engine/model/entry.ts";
import { isObjection } from "../../engine/reasons/objection.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
import type { CheckRunContent } from "../../ports/code-host/checks.ts";
import type { EntryView } from "../runtime/views.ts";
import {
  adviceOn,
  endText,
  failedOnHeadLines,
  failedTestLines,
  failureTable,
  proofText,
} from "./ended-entry-text.ts";
import type { FailureEvidence } from "./failure-evidence.ts";
import type { LostPlace } from "./lost-place-mentions.ts";
import { concerns, type Notice } from "./notices.ts";
import {
  failedOnceLines,
  freezeLines,
  lastingErrorLines,
  missingCheckLines,
  pausedLines,
  placeLines,
  readinessLines,
  stallLines,
} from "./waiting-entry-text.ts";

/** Renders all texts that people read on a pull request. */

export interface StatusContext {
  readonly branch: string;
  /** The queue's page; null when the dashboard has no public address. */
  readonly queueUrl: string | null;
  readonly commandPrefix: string;
  /** The loss of a place that the comment reports; absent = none. */
  readonly lost?: LostPlace | null;
}

const longestTitle = 250;

/** The check on the head: the state, and its reason. */
export function renderCheck(
  view: EntryView,
  context: StatusContext,
  evidence: FailureEvidence | null = null,
): CheckRunContent {
  const { entry } = view;
  return {
    name: checkName(context),
    headSha: entry.headSha,
    externalId: entry.id,
    detailsUrl: view.pageUrl,
    ...checkStatus(entry),
    title: checkTitle(view),
    summary: checkSummary(view, evidence, context),
  };
}

/**
 * The queue's comment. For a live entry, it contains only what changes rarely, so that it need not be edited all the time. The check shows
 * the rest.
 */
export function renderComment(
  view: EntryView | null,
  notices: readonly Notice[],
  context: StatusContext,
  evidence: FailureEvidence | null = null,
): string {
  const shown = notices.filter(
    // A new comment would mention the people who got an earlier answer again.
    (notice) =>
      view === null ||
      (concerns(notice, view.entry) && !(context.lost && notice.at < view.entry.stateChangedAt)),
  );
  const quoted = shown.flatMap(({ text }) => ["", `> ${text.replaceAll("\n", "\n> ")}`]);
  const parts = [view ? entryText(view, evidence, context) : [], quoted];
  return parts.flat().join("\n").trim();
}

function entryText(
  { entry, why: causes, pageUrl }: EntryView,
  evidence: FailureEvidence | null,
  context: StatusContext,
): string[] {
  const branch = renderCode(context.branch);
  const head = `\`${entry.headSha.slice(0, 7)}\``;
  const queue = renderLink("the queue", context.queueUrl);
  const linked = (what: string) => `**${renderLink(what, pageUrl)}**`;
  const again = `comment \`${context.commandPrefix} merge\` to queue it again`;
  const why = endText(entry, evidence, context.branch);
  const addressed = context.lost?.people.length
    ? `${context.lost.people.map(renderMention).join(", ")}: `
    : "";
  switch (entry.state) {
    case "merged":
      return [`${mergedText(entry, linked("Merged"), branch)} ${proofText(entry.reason, branch)}`.trim()];
    case "failed":
      return [
        `${linked("Removed from the queue")} for ${branch}. ${why}`,
        "",
        ...failureTable(entry.reason),
        ...failedTestLines(evidence),
        `${addressed}${adviceOn(entry.reason)} Then ${again}.`,
      ];
    case "cancelled": {
      const next =
        entry.reason.code === "PUSHED_TO"
          ? `Comment \`${context.commandPrefix} merge\` to queue them.`
          : entry.reason.code === "PR_CLOSED"
            ? `${entry.reason.branch === undefined ? "Reopen it" : "Restore its branch on GitHub, reopen it"}, then ${again}.`
            : `${capitalised(again)}.`;
      return [`${linked("Removed from the queue")} for ${branch}. ${why} ${addressed}${next}`];
    }
    case "not_ready":
      if (isObjection(entry.reason)) {
        return [
          `${linked(waitingText(entry))} in ${queue} for ${branch} at ${head}. It will be tested again once it is ready. It waits because:`,
          ...readinessLines(entry, causes, context.branch),
          ...failedOnHeadLines(entry),
          ...placeLines(causes),
          ...pausedLines(causes),
        ];
      }
      return [
        `${linked("Submitted")} to ${queue} for ${branch} at ${head} by ${submitter(entry)}. It will be tested once it is ready. It waits because:`,
        ...readinessLines(entry, causes, context.branch),
        ...failedOnHeadLines(entry),
        ...missingCheckLines(causes),
        ...pausedLines(causes),
      ];
    case "pending":
    case "testing":
    case "tests_passed":
    case "pending_failure":
      return [
        `${linked("Queued")} in ${queue} for ${branch} at ${head} by ${submitter(entry)}, priority ${escapeMarkdown(entry.priority.name)}.`,
        "",
        `\`${context.commandPrefix} status\` says what it waits for. A push or \`${context.commandPrefix} cancel\` removes it from the queue.`,
        ...pausedLines(causes),
        ...stallLines(causes),
        ...missingCheckLines(causes),
        ...freezeLines(causes, context.commandPrefix),
        ...failedOnceLines(entry),
        ...lastingErrorLines(entry),
      ];
  }
}

function mergedText({ reason, url }: Entry, merged: string, branch: string): string {
  if (reason.code !== "MERGED_IN_ORDER" && reason.code !== "DIRECT_MERGED")
    return `${merged} into ${branch}: ${asSentence(renderReason(reason, escapeMarkdown))}`;
  const commit = /\/pull\/\d+$/.test(url) ? url.replace(/\/pull\/\d+$/, `/commit/${reason.sha}`) : null;
  const how = reason.code === "DIRECT_MERGED" ? ", without another test" : "";
  return `${merged} into ${branch} as ${renderLink(`\`${reason.sha.slice(0, 7)}\``, commit)}${how}.`;
}

function submitter({ admittedBy: by }: Entry): string {
  const who = by.kind === "user" ? renderMention(by.name) : escapeMarkdown(by.name);
  return `${who}${by.reason === undefined ? "" : ` (${escapeMarkdown(by.reason)})`}`;
}

function checkName({ branch }: StatusContext): string {
  return ownCheckName(branch);
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
      return {
        status: "completed",
        conclusion: entry.reason.code === "TREE_MISMATCH" ? "failure" : "success",
      };
    case "failed":
      return { status: "completed", conclusion: "failure" };
    case "cancelled":
      return { status: "completed", conclusion: "cancelled" };
  }
}

function checkTitle({ entry, why, position }: EntryView): string {
  const state = capitalised(entry.state.replaceAll("_", " "));
  const cause = renderReason(entry.reason);
  if (entry.state === "merged") return oneLine(capitalised(cause), longestTitle);
  if (isTerminal(entry.state)) return oneLine(`${state}: ${cause}`, longestTitle);
  const place = position === null ? "" : `, ${renderOrdinal(position)} in the queue`;
  return oneLine(`${state}${place}. ${capitalised(why.at(-1)?.text ?? cause)}`, longestTitle);
}

/** The details behind the title: the chain of causes of a live entry, or the evidence of an ended one. */
function checkSummary(view: EntryView, evidence: FailureEvidence | null, { branch }: StatusContext): string {
  const { entry } = view;
  const paragraphs = isTerminal(entry.state)
    ? [
        `${endText(entry, evidence, branch)} ${proofText(entry.reason, renderCode(branch))}`.trim(),
        failureTable(entry.reason),
        failedTestLines(evidence),
      ]
    : [view.why.map(causeLine), runText(view), entry.doubted ? failureTable(entry.doubted.failure) : ""];
  return paragraphs
    .map((paragraph) => (Array.isArray(paragraph) ? paragraph.join("\n") : paragraph))
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

function causeLine({ text, refs, since }: ExplainLink): string {
  return `- ${asSentence(escapeMarkdown(capitalised(text), refs))} (since ${renderTime(since)})`;
}

function waitingText({ readiness: { objections = [] } }: Entry): string {
  const objection = objections.find(isObjection);
  if (!objection) return "Waiting";
  return objection.code === "HEAD_CHECKS_FAILED" ? "Waiting for a check of its head" : "Waiting for review";
}

function runText({ run, ahead }: EntryView): string {
  if (!run?.branch) return "";
  const base = ahead.length === 0 ? "the target branch" : ahead.map((pr) => `#${pr}`).join(", ");
  return `Tested on top of ${base}, on the branch ${renderCode(run.branch)}.`;
}
