import MarkdownIt from "markdown-it";
import { findBlocks, mark } from "./blocks.ts";
import { OpenElements } from "./open-elements.ts";

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/** Parses the contents of a paragraph. */
const inlines = new MarkdownIt({ html: true });

/**
 * Parsing the contents of a paragraph may take quadratic time. So this is the maximum number of characters that are parsed in
 * all paragraphs with a mark. The remaining work grows linearly with the length of the text.
 */
export const maxRead = 4_000;

/** The numbers of marks that begin a line of plain text directly in a paragraph at the top level. */
export interface MarkedLines {
  readonly plain: ReadonlySet<number>;
  /** The marks in paragraphs that were too long to be parsed. */
  readonly unread: ReadonlySet<number>;
}

/** @param text Markdown in which `mark`, a number and `mark` begin some of the lines. */
export function findMarkedLines(text: string): MarkedLines {
  const env = {};
  const found = { plain: new Set<number>(), unread: new Set<number>() };
  const open = new OpenElements();
  let readable = maxRead;
  for (const { type, content } of findBlocks(text, env)) {
    if (type === "html_block") open.read(content);
    else if (open.none && content.includes(mark)) {
      readable -= content.length;
      if (readable < 0) addMarks(found.unread, content);
      else addPlainMarks(found.plain, inlines.parseInline(content, env)[0]?.children ?? []);
    }
  }
  return found;
}

function addPlainMarks(found: Set<number>, tokens: readonly Token[]): void {
  const open = new OpenElements();
  let beginsLine = true;
  let depth = 0;
  for (const { type, content, nesting } of tokens) {
    depth += nesting;
    if (type === "html_inline") open.read(content);
    if (beginsLine && type === "text" && depth === 0 && open.none) {
      const number = new RegExp(`^${mark}(\\d+)${mark}`).exec(content)?.[1];
      if (number !== undefined) found.add(Number(number));
    }
    // The parser leaves an empty text in place of a delimiter.
    beginsLine = type === "softbreak" || type === "hardbreak" || (beginsLine && content === "");
  }
}

function addMarks(found: Set<number>, content: string): void {
  for (const [, number] of content.matchAll(new RegExp(`${mark}(\\d+)${mark}`, "g")))
    found.add(Number(number));
}
