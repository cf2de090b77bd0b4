import { otherWords } from "./other-queues.ts";
import { verbs } from "./parse-command.ts";
import { mentionOf, nameOf, patternOf, space } from "./typing.ts";

/** Marks of Markdown, HTML and prose before a command. The bound keeps the search linear. */
const dress = String.raw`(?:<\w{1,20}>){0,3}(?:${space}|[*_+\-#~|\x60\d.)(\[\]xX"'“”„‘’«:]){0,40}`;

/**
 * Whether a comment without commands has a line that is meant as one: in a list, code, a heading, HTML or emphasis, at the end of a
 * sentence, or with a prefix that is not quite ours. An escaped line is not meant as a command, and neither is a quotation of somebody
 * else's.
 */
export function misplacesCommand(body: string, prefix: string): boolean {
  const word = `(?:${[...verbs, ...otherWords].map((one) => RegExp.escape(one)).join("|")})(?![a-z\\d-]|_\\w)`;
  const command = `(?:${patternOf(prefix)}|${mentionOf(prefix)})[:,.：，]?${space}+${word}`;
  const name = nameOf(prefix);
  const near = `(?:[/!.@#]{1,2}${space}?)?${name === "" ? "(?!)" : patternOf(name)}(?:[-_/.:,]|${space}){1,3}${word}`;
  const end = `(?:${space}|[.!,;。)*_\x60"'”])*$`;
  const line = new RegExp(`^${dress}(?:${command}|${near}${end})`, "i");
  const atEnd = new RegExp(`(?<=[^\\s>]${space})${command}${end}`, "i");
  return body
    .split(/[\r\n]+/)
    .some((text) => !/^[ \t]*>/.test(text) && (line.test(text) || (!text.includes("`") && atEnd.test(text))));
}
