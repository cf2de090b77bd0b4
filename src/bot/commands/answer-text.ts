import type { AnswerOf } from "../../client/client.ts";
import { escapeMarkdown, renderCode, renderLogin, renderMention } from "../../command/escape-markdown.ts";
import type { OtherCommand } from "../../command/other-queues.ts";
import { grammar, type Verb } from "../../command/parse-command.ts";
import { renderOrdinal, renderSpan, renderTime } from "../../command/render-time.ts";
import { repositoryFilePath } from "../../command/repository-file.ts";
import { commandPrefix } from "../../engine/model/refusal.ts";
import { asClause, asSentence, capitalised, counted } from "../../engine/reasons/sentence.ts";
import type { GivenUpCode } from "../../store/leased/inbox.ts";
import type { Commander } from "./authorize.ts";

/** All answers of the bot to commands, in Markdown. Each begins with a sentence, because the person's name precedes it. */

/** Addresses an answer. Bots are not mentioned, because they might answer. */
export function addressed({ login, isPerson }: Pick<Commander, "login" | "isPerson">, text: string): string {
  return `${isPerson ? renderMention(login) : login}: ${text}`;
}

export function helpText(prefix: string): string {
  const rows = Object.values(grammar).map(
    ({ usage, does }) => `| \`${prefix} ${usage.replaceAll("|", "\\|")}\` | ${does} |`,
  );
  const intro = "Each command stands on a line of its own.";
  return [intro, "", "| command | what it does |", "|---|---|", ...rows].join("\n");
}

export function permissionTooLowText(
  login: string,
  has: string,
  verb: Verb,
  needs: string,
  source: string,
): string {
  const stateChanges = verb === "pause" || verb === "resume" || verb === "drain";
  const doing = stateChanges ? "changing the queue's state" : "queueing";
  return `${renderMention(login)} has \`${has}\` permission on this repository, and ${doing} needs \`${needs}\`${source}. Ask somebody with that permission to comment.`;
}

export function botNotListedText(login: string, id: number, branch: string): string {
  return `${renderLogin(login)} is a bot. To let it use commands, add its id to ${repositoryFilePath} on ${renderCode(branch)}: \`bots: [${id}]\`, or add it to \`allowedBotSubmitters\` of the queue.`;
}

export function fileInvalidText(path: string, branch: string, problems: string): string {
  return `${path} on ${renderCode(branch)} is invalid, so it is not known who may use commands: ${escapeMarkdown(asClause(problems))}. Fix it there, then repeat the command.`;
}

export function autoMergeStaysText(): string {
  return "Auto-merge itself is still enabled: GitHub merges the pull request as soon as the branch's own rules are met.";
}

/**
 * Renders a refusal of the queue. Its inline code is our own text; the text around it may quote others and is escaped.
 *
 * @param verb the command that was refused
 */
export function refusalText(detail: string, pr: number, verb: Verb, prefix: string): string {
  const parts = detail.split(/(`[^`\n]+`)/);
  const ours = (code: string) =>
    code
      .replace(`\`${commandPrefix} `, `\`${prefix} `)
      .replace(`\`${prefix} merge `, `\`${prefix} ${verb === "try" ? "try" : "merge"} `);
  return parts.map((part, index) => (index % 2 === 1 ? ours(part) : escapeAround(part, pr))).join("");
}

function escapeAround(part: string, pr: number): string {
  if (part.trim() === "") return part;
  const [, before = "", text = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(part) ?? [];
  return `${before && " "}${escapeMarkdown(text, [`#${pr}`])}${after && " "}`;
}

const mostNamed = 5;

export function editedText(): string {
  return "Edited comments are ignored. Post a new one.";
}

export function misplacedText(prefix: string): string {
  return `A command stands on its own line, which begins with \`${prefix}\`, outside quotes, lists and code. An example is \`${prefix} merge\`.`;
}

export function notACommentText(place: "description" | "line"): string {
  const where = place === "description" ? "the description" : "a comment on a line";
  return `A command in ${where} is not carried out. Write it as a comment on the pull request, or in a review.`;
}

/** The answer to a command of another merge queue. */
export function otherQueueText({ bot, verb }: OtherCommand, prefix: string): string {
  const whose = bot === null ? "not a command of this queue" : `${bot}'s command`;
  return `That is ${whose}; here it is \`${prefix} ${verb}\`. Nothing was done.`;
}

/** @param others the branches that have one */
export function noQueueText(branch: string, others: readonly string[]): string {
  if (others.length === 0)
    return `This repository has no merge queue for ${renderCode(branch)} yet. Ask an administrator to create one.`;
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : "";
  const named = `${others.slice(0, mostNamed).map(renderCode).join(", ")}${more}`;
  return `This repository has no merge queue for ${renderCode(branch)} yet, only for ${named}. Change the base branch of the pull request, or ask an administrator to create a queue.`;
}

export function notInQueueText(pr: number, prefix: string): string {
  return `#${pr} is not in the queue. Comment \`${prefix} merge\` to add it, if it is open.`;
}

export function mergedBeforeText(pr: number): string {
  return `#${pr} has merged, so it is too late to cancel. To undo it, revert it on GitHub.`;
}

export function labelRemovedText(label: string): string {
  return `The label ${renderCode(label)} was removed again.`;
}

export function pushedSinceText(pr: number, sha: string, verb: Verb, prefix: string): string {
  return `New commits were pushed to #${pr} after the command. Look at them, then comment \`${prefix} ${verb} ${sha}\`.`;
}

/** The answer to a command that arrived after a later one. Times are in milliseconds since the epoch. */
export function supersededText(
  verb: Verb,
  givenAt: number,
  later: { readonly verb: string; readonly at: number },
  prefix: string,
): string {
  return `\`${prefix} ${verb}\` of ${renderTime(givenAt)} arrived after \`${later.verb}\` of ${renderTime(later.at)}, which was carried out already. So nothing was done. Comment again if you still want it.`;
}

export function givenUpText(code: GivenUpCode, delivery: string): string {
  const again = "Check the state of the pull request, then repeat the command.";
  switch (code) {
    case "CODE_HOST_ABSENT":
      return `GitHub did not answer for a day, so your command was not carried out. ${again}`;
    case "CODE_HOST_DENIED":
      return `GitHub refused what your command needs. Ask an administrator to check the permissions of the App, then repeat the command.`;
    case "PAYLOAD_UNREADABLE":
    case "NOT_HANDLED":
      return `Your command was not carried out because of an error in this service. Its log has details for the delivery \`${delivery}\`. ${again}`;
  }
}

/** The answer to a re-run of our check. */
export function checkOutdatedText(pr: number, state: string, prefix: string): string {
  return state === "merged"
    ? `#${pr} has merged: there is nothing to run again.`
    : `This check belongs to another head of #${pr} than the one submitted last. Comment \`${prefix} merge\` to submit it.`;
}

export function tryText(
  { prSha, state }: AnswerOf<"tryPullRequest">,
  branch: string,
  prefix: string,
): string {
  const what = `\`${prSha.slice(0, 7)}\` is tested on ${renderCode(branch)}, and does not merge.`;
  const when =
    state === "waiting"
      ? " It starts when the queue runs and has a slot that no queued pull request needs."
      : "";
  return `${what}${when} The result will appear here. A push or \`${prefix} cancel\` ends the try.`;
}

export function tryEndedText(): string {
  return "The try ended without a result.";
}

export function restartedText(): string {
  return "Its tests start again. It keeps its place.";
}

interface TestRun {
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly testedPullRequests: readonly { readonly prNumber: number }[];
}

/**
 * States in advance what an urgent pull request would cost the others. `frozen`: pull requests that passed and wait for the
 * end of a freeze.
 */
export function costText(
  underWay: readonly TestRun[],
  frozen: readonly number[],
  pr: number,
  now: number,
): string {
  const texts: string[] = [];
  if (underWay.length > 0) {
    const minutes = minutesOf(underWay, now);
    texts.push(
      `\`urgent\` interrupts the tests of everything that has to go behind it: up to ${counted(underWay.length, "test run")} under way, ${counted(minutes, "minute")} of testing so far. ${testedBy(underWay)} would be tested again, behind #${pr}.`,
    );
  }
  if (frozen.length > 0) {
    const prs = frozen.map((number) => `#${number}`).join(", ");
    texts.push(
      `During this freeze, \`urgent\` also goes before pull requests that have passed: ${prs} would be tested again, behind #${pr}.`,
    );
  }
  return `${texts.join(" ")} Nothing was done yet. To go ahead, repeat the command with \`--confirm\`.`;
}

/** States what an urgent pull request has cost the others. */
export function interruptionText(
  interrupted: readonly TestRun[],
  underWay: number,
  { prNumber, state }: Pick<AnswerOf<"submitPullRequest">, "prNumber" | "state">,
): string {
  if (interrupted.length > 0) {
    const minutes = minutesOf(interrupted, 0);
    return `\`urgent\` cost ${counted(interrupted.length, "test run")} that ${interrupted.length === 1 ? "was" : "were"} under way, ${counted(minutes, "minute")} of testing: ${testedBy(interrupted)} will be tested again, behind #${prNumber}.`;
  }
  if (state === "not_ready" && underWay > 0) {
    return `\`urgent\` has interrupted nothing yet, because #${prNumber} is not ready. Once it is ready, it interrupts the tests of the pull requests that it overtakes. ${counted(underWay, "test run")} ${underWay === 1 ? "is" : "are"} under way now.`;
  }
  return "`urgent` interrupted no test run.";
}

/** Returns the total duration of the runs. A run that has not ended counts up to `now`. */
function minutesOf(runs: readonly TestRun[], now: number): number {
  const lengths = runs.map(({ createdAt, endedAt }) => {
    const end = endedAt === null ? now : Date.parse(endedAt);
    return Math.max(0, Math.round((end - Date.parse(createdAt)) / 60_000));
  });
  return lengths.reduce((sum, minutes) => sum + minutes, 0);
}

function testedBy(runs: readonly TestRun[]): string {
  const prs = new Set(runs.flatMap((run) => run.testedPullRequests.map(({ prNumber }) => `#${prNumber}`)));
  return [...prs].join(", ");
}

/** Describes the state of a pull request and the chain of causes. `now` is in milliseconds since the epoch. */
export function statusText(
  { state, position, text, why, forecast }: AnswerOf<"explainPullRequest">,
  branch: string,
  now: number,
): string {
  const queue = `in the queue for ${renderCode(branch)}`;
  const name = `**${capitalised(state.replaceAll("_", " "))}**`;
  const place = position === null ? ` ${queue}` : `, ${renderOrdinal(position)} ${queue}`;
  const causes = why.map((link) => {
    const cause = escapeMarkdown(capitalised(link.text), link.refs);
    return `- ${asSentence(cause)} (since ${renderTime(Date.parse(link.since))})`;
  });
  const expected = forecast === null ? [] : ["", forecastText(forecast, now)];
  const reason = why.length > 0 ? "" : `: ${asSentence(escapeMarkdown(text))}`;
  return [`${name}${place}${reason || "."}`, ...causes, ...expected].join("\n");
}

/** The comment is not edited every minute, so the text names the time from which it counts. */
function forecastText({ p50, p90 }: { readonly p50: string; readonly p90: string }, now: number): string {
  const [usual, late] = [p50, p90].map((time) => renderSpan(Date.parse(time) - now));
  return `Should merge in about ${usual} (9 of 10 times within ${late}), as of ${renderTime(now)}.`;
}

const stateMeanings = {
  running: "is running: it tests and merges",
  paused: "is paused: no test starts and nothing merges",
  draining: "is draining: no test starts, and pull requests in test still merge",
  switching_modes: "is switching modes",
} as const;

export function queueStateText(
  branch: string,
  state: keyof typeof stateMeanings,
  reason: string | null,
  prefix: string,
): string {
  const because = reason === null ? "" : ` Reason: ${asSentence(escapeMarkdown(reason))}`;
  const next = state === "running" ? "" : ` \`${prefix} resume\` starts it again.`;
  return `The queue for ${renderCode(branch)} ${stateMeanings[state]}.${because}${next}`;
}
