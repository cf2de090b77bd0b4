import { mark } from "./blocks.ts";
import { findMarkedLines } from "./markdown.ts";

export interface CommandLine {
  /** What follows the prefix. */
  readonly text: string;
  /** The paragraph around it is too long to be sure that it is plain text. */
  readonly unread: boolean;
}

/**
 * The lines of a comment that begin with the prefix, in order. Only plain text at the top level counts: quotes, lists,
 * tables, code, HTML and links never command anything, and neither does an escaped slash.
 */
export function commandLines(body: string, prefix: string): CommandLine[] {
  const rests: string[] = [];
  const marked = body.replaceAll(mark, "\uFFFD").replaceAll(beginnings(prefix), (_, indent, rest) => {
    return `${indent}${mark}${rests.push(rest) - 1}${mark}${rest}`;
  });
  // Most comments end here: reading their Markdown is what takes time.
  if (rests.length === 0) return [];
  const { plain, unread } = findMarkedLines(marked);
  return rests.flatMap((rest, number) => {
    if (!plain.has(number) && !unread.has(number)) return [];
    return { text: rest.trim(), unread: unread.has(number) };
  });
}

/** The lines that begin with the prefix, alone, and are not indented as code is. */
function beginnings(prefix: string): RegExp {
  return new RegExp(`(?<![^\\r\\n])( {0,3})${RegExp.escape(prefix)}(?![^ \\t\\r\\n])([^\\r\\n]*)`, "g");
}
