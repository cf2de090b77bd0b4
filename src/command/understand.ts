import { nearestName } from "./nearest-name.ts";
import { findOtherCommand, type OtherCommand, otherWords } from "./other-queues.ts";
import { type ParsedCommand, parseCommands, verbs } from "./parse-command.ts";
import { mentionOf, nameOf, patternOf, space } from "./typing.ts";

interface WrittenText {
  readonly body: string;
  /** The text before an edit; null for a new text. */
  readonly before: string | null;
  /** Where the text is; null = in a comment on the pull request. */
  readonly place: "review" | "line" | "description" | null;
}

/** What a text asks for. Only `commands` are carried out. All other types except `prose` get an answer. */
type Understood =
  | { readonly type: "commands"; readonly commands: readonly ParsedCommand[] }
  | { readonly type: "not_a_comment"; readonly place: "line" | "description" }
  | { readonly type: "not_plain_text" | "edited" | "prose" }
  | { readonly type: "other_queue"; readonly command: OtherCommand };

/** Decides what a person's text asks for. Never throws. */
export function understand({ body, before, place }: WrittenText, prefix: string): Understood {
  const commands = parseCommands(body, prefix);
  if (commands.length > 0) {
    if (before !== null && isSame(commands, parseCommands(before, prefix))) return { type: "prose" };
    if (place === "line" || place === "description") return { type: "not_a_comment", place };
    return before === null ? { type: "commands", commands } : { type: "edited" };
  }
  // Descriptions are prose, because their templates explain commands.
  if (place === "description") return { type: "prose" };
  if (misplacesCommand(body, prefix)) {
    if (before === null) return { type: "not_plain_text" };
    return { type: misplacesCommand(before, prefix) ? "prose" : "edited" };
  }
  const command = before === null ? findOtherCommand(body) : null;
  return command ? { type: "other_queue", command } : { type: "prose" };
}

function isSame(commands: readonly ParsedCommand[], others: readonly ParsedCommand[]): boolean {
  return JSON.stringify(commands) === JSON.stringify(others);
}

/** Marks of Markdown, HTML and prose before a command. The bound keeps the search linear. */
const dress = String.raw`(?:<(?:\w{1,20}|!--[^<>]{0,100}--)>){0,3}(?:${space}|[*_+\-#~|\x60\d.)(\[\]xX"'“”„‘’«:]){0,40}`;

/** Options that can be recognised in prose, and the ends of sentences. */
const ending = [
  String.raw`(?:${space}+(?:[-–—]{1,2}[a-z](?:(?!${space})[^\r\n"])*(?:${space}*"[^"\r\n]*"|${space}+(?:urgent|high|medium|low))?|[0-9a-f]{7,40}))*`,
  String.raw`(?:${space}|[.!,;。)*_\x60"'”]|[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\u200D]|:[\w+-]{1,40}:|please|thanks|when (?:it(?:'s| is) )?(?:ready|green))*$`,
].join("");

/**
 * Whether a comment without commands has a line that is meant as one: in a list, code, a heading, HTML or emphasis, at the end of a
 * sentence, or with a prefix that is not quite ours. An escaped line is not meant as a command, and neither is a quotation of somebody
 * else's.
 */
export function misplacesCommand(body: string, prefix: string): boolean {
  const word = `(?:${[...verbs, ...otherWords].map((one) => RegExp.escape(one)).join("|")})(?![a-z\\d-]|_\\w)`;
  const command = `(?:${patternOf(prefix)}|${mentionOf(prefix)})[:,.：，]?${space}+${word}`;
  const name = nameOf(prefix);
  const near = `(?:(?:[/!.@#]{1,2}|\\\\)${space}?)?${name === "" ? "(?!)" : patternOf(name)}(?:[-_/.:,]|${space}){0,3}${word}`;
  const line = new RegExp(`^${dress}(?:${command}|${near}${ending})`, "iu");
  const atEnd = new RegExp(`(?<=[^\\s>]${space})${command}${ending}`, "iu");
  const other = new RegExp(`^${space}*[/@]([\\w-]{4,40})${space}+${word}${ending}`, "iu");
  return body.split(/[\r\n]+/).some((text) => {
    if (/^[ \t]*>/.test(text)) return false;
    if (line.test(text) || (!text.includes("`") && atEnd.test(text))) return true;
    const [, typed = ""] = other.exec(text) ?? [];
    // Short names are similar to too many words.
    return typed !== "" && name.length > 4 && nearestName(typed, [name], 2) !== null;
  });
}
