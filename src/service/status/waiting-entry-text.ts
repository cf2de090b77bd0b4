import { escapeMarkdown, renderCode, renderMention } from "../../command/escape-markdown.ts";
import { renderTime } from "../../command/render-time.ts";
import type { ExplainLink } from "../../engine/explain/explain-link.ts";
import { type Entry, lastingErrorOf } from "../../engine/model/entry.ts";
import { renderObjection } from "../../engine/reasons/objection.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
import { failureTable } from "./ended-entry-text.ts";

/** What a pull request in the queue waits for, as lines of its comment. */

/** The conditions that an entry does not meet yet. At least one line. */
export function readinessLines(entry: Entry, causes: readonly ExplainLink[], branch: string): string[] {
  const { readiness } = entry;
  const objections = (readiness.objections ?? []).map(
    (objection) => `- ${escapeMarkdown(renderObjection(objection))}`,
  );
  const lines = [...objections, ...readiness.blockers.map((blocker) => `- ${escapeMarkdown(blocker)}`)];
  if (!readiness.baseBranchMatches) {
    lines.push(
      `- its base branch is ${renderCode(entry.baseBranch)}, but this queue merges into ${renderCode(branch)}`,
    );
  }
  if (readiness.draft) lines.push("- it is a draft");
  for (const { code, text } of causes)
    if (code === "WAITING_FOR_TARGETS" || code === "MERGEABILITY_UNKNOWN") lines.push(`- ${text}`);
  if (readiness.mergeability === "not_mergeable" && readiness.blockers.length === 0) {
    lines.push("- GitHub says that it is not mergeable");
  }
  return lines;
}

/** Required checks that do not report on test branches, and what to do about it. */
export function missingCheckLines(causes: readonly ExplainLink[]): string[] {
  const link = causes.find(({ code }) => code === "CHECKS_MISSING" || code === "CHECKS_NEVER_REPORTED");
  if (!link) return [];
  const failing = link.code === "CHECKS_MISSING" && link.until ? renderTime(link.until) : null;
  const end = failing === null ? "" : ` Without them, the test will fail at ${failing}.`;
  return ["", `> ${asSentence(capitalised(escapeMarkdown(link.text)))}${end}`];
}

export function lastingErrorLines(entry: Entry): string[] {
  const error = lastingErrorOf(entry);
  if (error === null) return [];
  const details = asSentence(escapeMarkdown(error));
  return [
    "",
    `> Its test commit cannot be built. It is tried again every few minutes. The error: ${details}`,
  ];
}

/** Why nothing happens in a queue that is not running. */
export function pausedLines(causes: readonly ExplainLink[]): string[] {
  const link = causes.find(({ code }) => code === "QUEUE_NOT_RUNNING");
  if (!link) return [];
  return ["", `> ${asSentence(capitalised(escapeMarkdown(link.text)))} It waits until the queue runs again.`];
}

export function stallLines(causes: readonly ExplainLink[]): string[] {
  const link = causes.find(({ code }) => code === "NOTHING_MERGES");
  return link ? ["", `> ${asSentence(capitalised(escapeMarkdown(link.text, link.refs)))}`] : [];
}

/** The time until which nothing merges, and what to do if that cannot wait. */
export function freezeLines(causes: readonly ExplainLink[], commandPrefix: string): string[] {
  const link = causes.find(({ code }) => code === "FROZEN");
  if (!link) return [];
  const told = asSentence(capitalised(escapeMarkdown(link.text)));
  return [
    "",
    `> ${told} Tests continue, and it merges after that. If it cannot wait, comment \`${commandPrefix} merge --urgent\`.`,
  ];
}

/** The failure of an entry that is tested again, so that its author can already repair it. */
export function failedOnceLines({ doubted, author, reason }: Entry): string[] {
  if (!doubted) return [];
  const failed = capitalised(asSentence(renderReason(doubted.failure, escapeMarkdown)));
  const next =
    reason.code === "NOTHING_PASSES"
      ? `It is not removed for that: ${asSentence(renderReason(reason, escapeMarkdown))} It is tested again later.`
      : "It is tested once more before it is removed, because one failure may be a flake.";
  return [
    "",
    `${renderMention(author)}: ${failed} ${next} If the failure is real, push a fix now.`,
    "",
    ...failureTable(doubted.failure),
  ];
}

export function placeLines(causes: readonly ExplainLink[]): string[] {
  const until = causes.find(({ code }) => code === "PLACE_KEPT")?.until;
  if (until === undefined) return ["", "Once it is ready, it continues at the end of the queue."];
  return [
    "",
    `It keeps its place if it is ready again by ${renderTime(until)}. Later, it continues at the end of the queue.`,
  ];
}
