import { type Priority, parsePriority } from "../engine/model/entry.ts";
import { type Arguments, type Expected, parseArguments, quoted } from "./arguments.ts";
import { type CommandLine, commandLines } from "./command-lines.ts";
import { messageProblem, titleProblem } from "./commit-text.ts";
import { maxRead } from "./markdown.ts";
import { nearestName } from "./nearest-name.ts";
import { meantVerb } from "./other-queues.ts";
import { withoutPeriod } from "./typing.ts";

export type Command =
  | {
      readonly type: "merge";
      /** The expected head SHA, or at least its first 7 digits. */
      readonly sha: string | null;
      readonly priority: Priority | null;
      readonly noBatch: boolean | null;
      /** Whether the author knows the cost for others, and accepts it. */
      readonly confirmed: boolean | null;
      readonly reason: string | null;
      /** Parts of the merged commit's message; null = not given. */
      readonly title: string | null;
      readonly message: string | null;
    }
  /** The expected head SHA, or at least its first 7 digits. */
  | { readonly type: "try"; readonly sha: string | null }
  | { readonly type: "cancel" | "restart" | "status" }
  | { readonly type: "help" }
  | { readonly type: "pause" | "resume" | "drain"; readonly reason: string | null };

export type Verb = Command["type"];

/** The merge command without options, as a label or a check gives it. */
export const mergeCommand = {
  type: "merge",
  sha: null,
  priority: null,
  noBatch: null,
  confirmed: null,
  reason: null,
  title: null,
  message: null,
} as const satisfies Command;

export type ParsedCommand =
  | { readonly ok: true; readonly command: Command }
  /** `problem` says what to do about it. */
  | { readonly ok: false; readonly line: string; readonly problem: string };

const flags = { reason: { "--reason": true } };

/** Every command: the arguments that it accepts, and what it does. */
export const grammar: Readonly<Record<Verb, Expected & { readonly usage: string; readonly does: string }>> = {
  merge: {
    flags: {
      "--priority": true,
      "--urgent": false,
      "--no-batch": false,
      "--confirm": false,
      "--title": true,
      "--message": "lines",
      ...flags.reason,
    },
    word: /^[0-9a-f]{7,40}$/i,
    usage:
      'merge [<sha>] [--priority=<urgent|high|medium|low|number>] [--urgent] [--no-batch] [--confirm] [--title="…"] [--message="…"] [--reason="…"]',
    does: "queues the pull request, at this head if one is named. For a queued one, it changes the given options. `--urgent` is `--priority=urgent`; it first answers what it costs, and needs `--confirm` then. `--title` and `--message` are those of the merged commit; `\\n` in the message starts a new line",
  },
  try: {
    flags: {},
    word: /^[0-9a-f]{7,40}$/i,
    usage: "try [<sha>]",
    does: "tests the pull request on the target branch and shows the result here; nothing is queued or merged",
  },
  cancel: { flags: {}, usage: "cancel", does: "removes it from the queue, and ends its try" },
  restart: { flags: {}, usage: "restart", does: "tests it again; it keeps its place" },
  status: { flags: {}, usage: "status", does: "shows its place in the queue, and what it waits for" },
  pause: {
    flags: flags.reason,
    usage: 'pause [--reason="…"]',
    does: "pauses the queue: no test starts and nothing merges",
  },
  resume: { flags: flags.reason, usage: 'resume [--reason="…"]', does: "starts the queue again" },
  drain: {
    flags: flags.reason,
    usage: 'drain [--reason="…"]',
    does: "drains the queue: no test starts, and pull requests in test still merge",
  },
  help: { flags: {}, usage: "help", does: "shows this list" },
};

export const verbs = Object.keys(grammar) as Verb[];

function knownVerb(word: string): Verb | undefined {
  return verbs.find((verb) => verb === word.toLowerCase());
}

/** More commands are a mistake, or no commands at all. Each command costs calls to the code host. */
const maxCommands = 10;
const maxReason = 200;

/** Returns the commands of a comment, in order. Never throws. A line that is not understood becomes a problem to answer. */
export function parseCommands(body: string, prefix: string): ParsedCommand[] {
  const lines = commandLines(body, prefix).filter((line) => !line.isMention || isForUs(line.text));
  if (lines.length <= maxCommands) return lines.map((line) => parseLine(line, prefix));
  const problem = `A comment may contain ${maxCommands} commands, and this one contains ${lines.length}. None was carried out.`;
  return [{ ok: false, line: lines[0]?.text ?? "", problem }];
}

/** Some verbs are similar, and a wrong guess may stop a queue, so few characters may be wrong. */
function nearestVerb(word: string): string | null {
  return nearestName(word.replaceAll(/\W/g, ""), verbs, 2);
}

/** Whether the text behind a mention of the App is a command or an attempt at one. */
function isForUs(text: string): boolean {
  const [first = "", ...others] = text.split(" ");
  const word = withoutPeriod(first);
  const isVerb = knownVerb(word) !== undefined || meantVerb(word) !== null;
  return isVerb || (others.length === 0 && word !== "" && nearestVerb(word) !== null);
}

function parseLine({ text: line, unread }: CommandLine, prefix: string): ParsedCommand {
  const refuse = (problem: string): ParsedCommand => ({ ok: false, line, problem });
  if (unread) {
    return refuse(
      `There are more than ${maxRead} characters in the paragraphs with commands. Leave an empty line before and after the command.`,
    );
  }
  const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(line) ?? [];
  const verb = knownVerb(withoutPeriod(word));
  if (!verb) return refuse(unknownVerb(word, prefix));
  const given = parseArguments(rest, grammar[verb]);
  const command = typeof given === "string" ? given : toCommand(verb, given);
  return typeof command === "string"
    ? refuse(`${command} Use \`${prefix} ${grammar[verb].usage}\`.`)
    : { ok: true, command };
}

/** Returns the command, or a sentence about the fault of its values. */
function toCommand(type: Verb, { word, flags: given }: Arguments): Command | string {
  const reason = given.get("--reason")?.trim() ?? null;
  if (reason !== null && reason.length > maxReason) return `A reason has at most ${maxReason} characters.`;
  switch (type) {
    case "merge": {
      const written = given.has("--urgent") ? "urgent" : given.get("--priority");
      if (given.has("--urgent") && given.has("--priority")) return twoPriorities;
      const priority = written === undefined ? null : parsePriority(written);
      if (written !== undefined && !priority) return noPriority(written);
      const noBatch = given.has("--no-batch") || null;
      const confirmed = given.has("--confirm") || null;
      const title = given.get("--title")?.trim() ?? null;
      const message = given.get("--message")?.trim() ?? null;
      const problem = (title && titleProblem(title)) ?? (message !== null ? messageProblem(message) : null);
      if (problem) return problem;
      return { type, sha: word?.toLowerCase() ?? null, priority, noBatch, confirmed, reason, title, message };
    }
    case "try":
      return { type, sha: word?.toLowerCase() ?? null };
    case "pause":
    case "resume":
    case "drain":
      return { type, reason };
    case "cancel":
    case "restart":
    case "status":
    case "help":
      return { type };
  }
}

const twoPriorities = "`--urgent` and `--priority` are both priorities: only one of them can be given.";

function noPriority(written: string): string {
  const meant = nearestName(written, ["urgent", "high", "medium", "low"]);
  return `${quoted(written)} is not a priority.${meant === null ? "" : ` Did you mean \`${meant}\`?`}`;
}

function unknownVerb(word: string, prefix: string): string {
  const meant = word === "" ? null : (meantVerb(withoutPeriod(word)) ?? nearestVerb(word));
  if (meant !== null) {
    return `${quoted(word)} is not a command. Did you mean \`${prefix} ${meant}\`? Nothing was done.`;
  }
  const what = word === "" ? "The command is missing." : `${quoted(word)} is not a command.`;
  return `${what} Use one of ${verbs.map((verb) => `\`${prefix} ${verb}\``).join(", ")}.`;
}
