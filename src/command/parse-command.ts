import { type Priority, parsePriority } from "../engine/priority.ts";
import { commandLines } from "./command-lines.ts";

export type PullRequestCommand =
  | {
      readonly type: "merge";
      /** At least 7 digits of the head that is meant. */
      readonly sha: string | null;
      readonly priority: Priority | null;
      readonly noBatch: boolean | null;
    }
  | { readonly type: "cancel" };

export type ParsedCommand =
  | { readonly ok: true; readonly command: PullRequestCommand }
  /** `problem` says what to do about it. */
  | { readonly ok: false; readonly line: string; readonly problem: string };

const usage = {
  merge: "merge [<sha>] [--priority=<urgent|high|medium|low|number>] [--no-batch]",
  cancel: "cancel",
} as const;

/** The commands of a comment, in order. Never throws; what is not understood is answered, not guessed. */
export function parseCommands(body: string, prefix: string): ParsedCommand[] {
  return commandLines(body, prefix).map((line) => parseLine(line, prefix));
}

function parseLine(line: string, prefix: string): ParsedCommand {
  const [verb = "", ...args] = line.split(/\s+/);
  switch (verb.toLowerCase()) {
    case "merge":
      return parseMerge(line, args, prefix);
    case "cancel":
      return args.length === 0
        ? { ok: true, command: { type: "cancel" } }
        : misunderstood(line, prefix, `\`${args[0]}\` means nothing here.`, ["cancel"]);
    default:
      return misunderstood(
        line,
        prefix,
        verb === "" ? "What should be done?" : `\`${verb}\` is no command.`,
        ["merge", "cancel"],
      );
  }
}

function parseMerge(line: string, args: readonly string[], prefix: string): ParsedCommand {
  let sha: string | null = null;
  let priority: Priority | null = null;
  let noBatch: boolean | null = null;
  const problem = (text: string) => misunderstood(line, prefix, text, ["merge"]);
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    const [flag = "", inline] = arg.split(/=(.*)/s);
    if (flag === "--no-batch" && inline === undefined) noBatch = true;
    else if (flag === "--priority" || flag === "-p") {
      const value = inline ?? args[++i] ?? "";
      priority = parsePriority(value);
      if (!priority) return problem(`\`${value}\` is no priority.`);
    } else if (/^[0-9a-f]{7,40}$/i.test(arg) && sha === null) sha = arg.toLowerCase();
    else return problem(`\`${arg}\` means nothing here.`);
  }
  return { ok: true, command: { type: "merge", sha, priority, noBatch } };
}

function misunderstood(
  line: string,
  prefix: string,
  why: string,
  verbs: readonly (keyof typeof usage)[],
): ParsedCommand {
  const usages = verbs.map((verb) => `\`${prefix} ${usage[verb]}\``).join(" or ");
  return { ok: false, line, problem: `${why} Use ${usages}.` };
}
