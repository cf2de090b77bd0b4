import { findMarkedLines, mark } from "./markdown.ts";

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
  if (!body.includes(prefix)) return [];
  const lines = body.replaceAll(mark, "\uFFFD").split(/\r\n?|\n/);
  const marked = lines.map((line, number) => {
    const indent = beginning(line, prefix);
    return indent === null
      ? line
      : line.slice(0, indent) + mark + number + mark + line.slice(indent + prefix.length);
  });
  const { plain, unread } = findMarkedLines(marked.join("\n"));
  return lines.flatMap((line, number) => {
    if (!plain.has(number) && !unread.has(number)) return [];
    return { text: line.trimStart().slice(prefix.length).trim(), unread: unread.has(number) };
  });
}

/** How far a line is indented that begins with the prefix, alone; null when it does not, or is indented as code is. */
function beginning(line: string, prefix: string): number | null {
  if (!line.includes(prefix)) return null;
  const indent = /^ {0,3}/.exec(line)?.[0].length ?? 0;
  const end = indent + prefix.length;
  const alone = end === line.length || line[end] === " " || line[end] === "\t";
  return alone && line.startsWith(prefix, indent) ? indent : null;
}
