import type { AnswerOf } from "../../client/client.ts";
import { escapeMarkdown, renderCode, renderLogin, renderMention } from "../../command/escape-markdown.ts";
import { grammar, type Verb } from "../../command/parse-command.ts";
import { repositoryFilePath } from "../../command/repository-file.ts";
import { asClause, asSentence } from "../../engine/reasons/sentence.ts";
import type { GivenUpCode } from "../../ports/inbox.ts";

/** All answers of the bot to commands, in Markdown. */

export function helpText(prefix: string): string {
  const rows = Object.values(grammar).map(
    ({ usage, does }) => `| \`${prefix} ${usage.replaceAll("|", "\\|")}\` | ${does} |`,
  );
  return ["| a line of its own | |", "|---|---|", ...rows].join("\n");
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
  return `${renderMention(login)} has \`${has}\` permission on this repository, and ${doing} needs \`${needs}\`${source}. Ask somebody who has it to give the command.`;
}

export function botNotListedText(login: string, id: number, branch: string): string {
  return `${renderLogin(login)} is a bot. To let it command, add its id to ${repositoryFilePath} on ${renderCode(branch)}: \`bots: [${id}]\`, or add it to \`allowedBotSubmitters\` of the queue.`;
}

export function fileInvalidText(branch: string, problems: string): string {
  return `${repositoryFilePath} on ${renderCode(branch)} cannot be read, so nobody knows who may: ${escapeMarkdown(asClause(problems))}. Mend it there, then give the command again.`;
}

export function autoMergeStaysText(): string {
  return "Auto-merge itself is as it was: while it is enabled, GitHub merges the pull request as soon as the branch's own rules are met.";
}

/** Renders a refusal of the queue. Its inline code is our own text; the text around it may quote others and is escaped. */
export function refusalText(detail: string, pr: number): string {
  const parts = detail.split(/(`[^`\n]+`)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : escapeAround(part, pr))).join("");
}

function escapeAround(part: string, pr: number): string {
  if (part.trim() === "") return part;
  const [, before = "", text = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(part) ?? [];
  return `${before && " "}${escapeMarkdown(text, [`#${pr}`])}${after && " "}`;
}

export function editedText(): string {
  return "A comment commands only as it was first written: an edit could put words into its author's mouth. Write a new one.";
}

export function notPlainText(prefix: string): string {
  return `The line with \`${prefix} …\` stands in a quotation, a list, code or HTML, where nothing is carried out. Who means it as a command writes it in a comment as a line of its own, with nothing around it.`;
}

export function labelRemovedText(label: string): string {
  return `So the label ${renderCode(label)} was taken off again.`;
}

export function pushedSinceText(pr: number, sha: string, prefix: string): string {
  return `#${pr} was pushed to after the command was given. Look at what was pushed, then comment \`${prefix} merge ${sha.slice(0, 10)}\`.`;
}

/** The answer to a command that was given up. */
export function givenUpText(code: GivenUpCode, delivery: string): string {
  const again = "See what became of the pull request, then give the command again.";
  switch (code) {
    case "CODE_HOST_ABSENT":
      return `GitHub did not answer for a day, so that your command was given up. ${again}`;
    case "CODE_HOST_DENIED":
      return `GitHub kept denying what your command needs. Ask an administrator to check the permissions of the App, then give the command again.`;
    case "PAYLOAD_UNREADABLE":
    case "NOT_HANDLED":
      return `Your command could not be carried out, by a fault of this service; its log tells more of the delivery \`${delivery}\`. ${again}`;
  }
}

/** The answer to a re-run of our check. */
export function checkOutdatedText(pr: number, state: string, prefix: string): string {
  return state === "merged"
    ? `#${pr} has merged: there is nothing to run again.`
    : `This check is not about the head of #${pr} that was submitted last. Comment \`${prefix} merge\` to submit it.`;
}

export function tryText(
  { prSha, state }: AnswerOf<"tryPullRequest">,
  branch: string,
  prefix: string,
): string {
  const what = `\`${prSha.slice(0, 7)}\` is tested on ${renderCode(branch)}, and does not merge.`;
  const when =
    state === "waiting"
      ? " It waits for a slot that no queued pull request needs, and for a queue that runs."
      : "";
  return `${what}${when} The result will be shown here. A push ends the try, and so does \`${prefix} cancel\`.`;
}

export function tryEndedText(): string {
  return "Its try has ended without a result.";
}

export function restartedText(): string {
  return "Its tests start again; it keeps its place.";
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
      `\`urgent\` interrupts what has to go behind it: up to ${counted(underWay.length, "test run")} under way, ${counted(minutes, "minute")} of testing so far. ${testedBy(underWay)} would be tested again, behind #${pr}.`,
    );
  }
  if (frozen.length > 0) {
    const prs = frozen.map((number) => `#${number}`).join(", ");
    texts.push(
      `During this freeze \`urgent\` also goes before what has passed: ${prs} would be tested again, behind #${pr}.`,
    );
  }
  return `${texts.join(" ")} Nothing was done yet; to go ahead, give the command again with \`--confirm\`.`;
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
    return `\`urgent\` has interrupted nothing yet, since #${prNumber} is not ready. Once it is, it interrupts what it has to go before; ${counted(underWay, "test run")} ${underWay === 1 ? "is" : "are"} under way now.`;
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

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Describes the state of a pull request and the chain of causes. */
export function statusText(
  { state, position, text, why, forecast }: AnswerOf<"explainPullRequest">,
  branch: string,
): string {
  const place = position === null ? "" : `, number ${position} to merge`;
  const causes = why.map((link) => `- ${escapeMarkdown(link.text, link.refs)} (since ${link.since})`);
  const expected =
    forecast === null
      ? []
      : ["", `Expected to merge by ${forecast.p50}; nine times in ten by ${forecast.p90}.`];
  return [
    `**${state.replaceAll("_", " ")}** in the queue for ${renderCode(branch)}${place}: ${asSentence(escapeMarkdown(text))}`,
    ...causes,
    ...expected,
  ].join("\n");
}

const stateMeanings = {
  running: "is running: tests start and merges go on",
  paused: "is paused: nothing starts and nothing merges",
  draining: "is draining: nothing starts, and what is being tested still merges",
  switching_modes: "is switching modes",
} as const;

export function queueStateText(
  branch: string,
  state: keyof typeof stateMeanings,
  reason: string | null,
  prefix: string,
): string {
  const because = reason === null ? "" : ` Reason: ${asSentence(escapeMarkdown(reason))}`;
  const next = state === "running" ? "" : ` \`${prefix} resume\` lets it go on.`;
  return `The queue for ${renderCode(branch)} ${stateMeanings[state]}.${because}${next}`;
}
