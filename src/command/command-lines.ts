import { findMarkedLines, mark } from "./markdown.ts";

import { mentionOf, patternOf, space, toPlainTyping } from "./typing.ts";

export interface CommandLine {
  /** The text after the prefix. */
  readonly text: string;
  /** True when the line begins with a mention of the App: it may also be prose. */
  readonly isMention: boolean;
  /** True when the paragraph around it is too long to check whether the line is plain text. */
  readonly unread: boolean;
}

/** Returns the lines of a comment that begin with the prefix or a mention of the App, in order. */
export function commandLines(body: string, prefix: string): CommandLine[] {
  return plainLines(body, beginnings(prefix)).map(({ groups: { mention, rest = "" }, unread }) => {
    return { text: toPlainTyping(rest).trim().replace(polite, ""), isMention: mention !== undefined, unread };
  });
}

const polite = /^(?:(?:please|pls|plz|(?:can|could|would) you) +)+(?=\S)/i;

interface FoundLine {
  readonly groups: Readonly<Partial<Record<"indent" | "mention" | "rest" | "text", string>>>;
  readonly unread: boolean;
}

/**
 * Returns the lines that match, in order. Only plain text at the top level counts: quotes, lists, tables, code, HTML, links and
 * an escaped slash never command anything.
 *
 * @param pattern matches whole lines with `wholeLine`
 */
export function plainLines(body: string, pattern: RegExp): FoundLine[] {
  const lines: FoundLine["groups"][] = [];
  const marked = body.replaceAll(mark, "\uFFFD").replaceAll(pattern, (_, ...rest) => {
    const groups = rest.at(-1) as FoundLine["groups"];
    return `${groups.indent}${mark}${lines.push(groups) - 1}${mark}${groups.rest ?? ""}`;
  });
  // Most comments end here. Parsing Markdown is the slow part.
  if (lines.length === 0) return [];
  const { plain, unread } = findMarkedLines(marked);
  return lines.flatMap((groups, number) =>
    plain.has(number) || unread.has(number) ? [{ groups, unread: unread.has(number) }] : [],
  );
}

/** A pattern for whole lines that are not indented like code. */
export function wholeLine(line: string): RegExp {
  return new RegExp(`(?<![^\\r\\n])(?<indent> {0,3})(?:(?![ \\t])${space}+)?${line}`, "gi");
}

/** Matches lines that begin with the prefix, in any case, as a word of its own. */
function beginnings(prefix: string): RegExp {
  const begins = `(?:${patternOf(prefix)}|(?<mention>${mentionOf(prefix)}))`;
  return wholeLine(`${begins}[:,.：，]?(?!(?!${space})[^\\r\\n])(?<rest>[^\\r\\n]*)`);
}
