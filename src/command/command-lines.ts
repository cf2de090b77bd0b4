import type { Paragraph, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";

/**
 * The lines of a comment that begin with the prefix, without it. Only plain text at the top level counts: quotes, lists,
 * code, HTML and links never command anything, and neither does an escaped slash.
 */
export function commandLines(body: string, prefix: string): string[] {
  if (!body.includes(prefix)) return [];
  const plain = plainRanges(fromMarkdown(body));
  const lines: string[] = [];
  for (const match of body.matchAll(/^[^\r\n]*/gm)) {
    const indent = /^ {0,3}/.exec(match[0])?.[0].length ?? 0;
    const start = match.index + indent;
    const line = match[0].slice(indent);
    const commands = line.startsWith(prefix) && /^(\s|$)/.test(line.slice(prefix.length));
    if (commands && plain.some(([from, to]) => from <= start && start < to)) {
      lines.push(line.slice(prefix.length).trim());
    }
  }
  return lines;
}

/** Where the source is text directly in a paragraph at the top level. */
function plainRanges(root: Root): [from: number, to: number][] {
  const paragraphs = root.children.filter((node): node is Paragraph => node.type === "paragraph");
  return paragraphs.flatMap((paragraph) =>
    paragraph.children.flatMap(({ type, position }): [number, number][] =>
      type === "text" && position ? [[position.start.offset ?? 0, position.end.offset ?? 0]] : [],
    ),
  );
}
