import { mark } from "./blocks.ts";
import { findMarkedLines } from "./markdown.ts";

export interface CommandLine {
  /** The text after the prefix. */
  readonly text: string;
  /** True when the paragraph around it is too long to check whether the line is plain text. */
  readonly unread: boolean;
}

/**
 * Returns the lines of a comment that begin with the prefix, in order. Only plain text at the top level counts: quotes,
 * lists, tables, code, HTML, links and an escaped slash never command anything.
 */
export function commandLines(body: string, prefix: string): CommandLine[] {
  const rests: string[] = [];
  const marked = body.replaceAll(mark, "\uFFFD").replaceAll(beginnings(prefix), (_, indent, rest) => {
    return `${indent}${mark}${rests.push(rest) - 1}${mark}${rest}`;
  });
  // Most comments end here. Parsing Markdown is the slow part.
  if (rests.length === 0) return [];
  const { plain, unread } = findMarkedLines(marked);
  return rests.flatMap((rest, number) => {
    if (!plain.has(number) && !unread.has(number)) return [];
    return { text: rest.trim(), unread: unread.has(number) };
  });
}

/** Matches lines that begin with the prefix, in any case, as a word of its own, and that are not indented like code. */
function beginnings(prefix: string): RegExp {
  return new RegExp(`(?<![^\\r\\n])( {0,3})${RegExp.escape(prefix)}(?![^ \\t\\r\\n])([^\\r\\n]*)`, "gi");
}
