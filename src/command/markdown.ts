import MarkdownIt from "markdown-it";
import { findBlocks, mark } from "./blocks.ts";
import { OpenElements } from "./open-elements.ts";

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/** Reads what is in a paragraph. */
const inlines = new MarkdownIt({ html: true });

/**
 * Reading what is in a paragraph may take a time that grows with its square. So of all paragraphs with a mark not more
 * characters are read than this, and what is left to do grows with the length of the text.
 */
export const maxRead = 4_000;

/** The numbers of marks that begin a line of plain text directly in a paragraph at the top level. */
export interface MarkedLines {
  readonly plain: ReadonlySet<number>;
  /** Those in paragraphs that were too long to be read. */
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
    // An empty text is what the parser leaves of a delimiter.
    beginsLine = type === "softbreak" || type === "hardbreak" || (beginsLine && content === "");
  }
}

function addMarks(found: Set<number>, content: string): void {
  for (const [, number] of content.matchAll(new RegExp(`${mark}(\\d+)${mark}`, "g")))
    found.add(Number(number));
}
