import MarkdownIt from "markdown-it";

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/** Parses the contents of a paragraph. */
const inlines = new MarkdownIt({ html: true });

/**
 * The maximum number of characters that are parsed in all paragraphs with a mark, because parsing the contents of a paragraph may take
 * quadratic time. The rest of the work grows linearly with the length of the text.
 */
export const maxRead = 4_000;

/** The numbers of marks that begin a line of plain text directly in a paragraph at the top level. */
interface MarkedLines {
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
    // The parser leaves an empty text where a delimiter was.
    beginsLine = type === "softbreak" || type === "hardbreak" || (beginsLine && content === "");
  }
}

function addMarks(found: Set<number>, content: string): void {
  for (const [, number] of content.matchAll(new RegExp(`${mark}(\\d+)${mark}`, "g")))
    found.add(Number(number));
}

/** Elements that have no end tag, or may omit it. */
const endless: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot option".split(
    " ",
  ),
);

/** A name matches as a whole or not at all, because with backtracking, a long name would take quadratic time. */
const tags = /<(\/?)([a-z][a-z0-9-]*)(?![a-z0-9-])[^<>]*>/gi;

/** Tracks which HTML elements are open: text inside `<details>` is not plain text, even after an empty line. */
class OpenElements {
  readonly #depths = new Map<string, number>();

  read(html: string): void {
    const withoutComments = html.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, "");
    for (const [, slash, tag = ""] of withoutComments.matchAll(tags)) {
      const name = tag.toLowerCase();
      if (endless.has(name)) continue;
      const depth = (this.#depths.get(name) ?? 0) + (slash ? -1 : 1);
      if (depth > 0) this.#depths.set(name, depth);
      else this.#depths.delete(name);
    }
  }

  get none(): boolean {
    return this.#depths.size === 0;
  }
}

const parser = new MarkdownIt({ html: true });
parser.core.ruler.enableOnly(["normalize", "block"]);

type BlockState = InstanceType<typeof parser.block.State>;
type BlockToken = ReturnType<BlockState["push"]>;
type Nesting = Parameters<BlockState["push"]>[2];

/** A private-use character, which has no meaning in Markdown. Text behind it is read as plain text. */
export const mark = "\uE000";

/**
 * Finds the top-level paragraphs of a text that hold a mark (`inline`), and its HTML at any level (`html_block`), in order. `env` receives
 * the definitions of links.
 *
 * For a long text, most time is spent on tokens. So few other tokens are created, because lists, tables and headings only have to be
 * skipped.
 */
export function findBlocks(
  text: string,
  env: Record<string, unknown>,
): Pick<BlockToken, "type" | "content">[] {
  return parser.parse(text, env);
}

parser.block.State = class extends parser.block.State {
  #isParagraph = false;
  #nextMark = this.src.indexOf(mark);
  /** A token for the parser's rules to write to. They never read it. */
  readonly #passedOver: BlockToken = new this.Token("", "", 0);

  override push(type: string, tag: string, nesting: Nesting): BlockToken {
    const isWanted = type === "html_block" || (type === "inline" && this.#isParagraph && this.#hasMark());
    if (isWanted) return super.push(type, tag, nesting);
    this.#isParagraph = this.level === 0 && type === "paragraph_open";
    this.level += nesting;
    return this.#passedOver;
  }

  /**
   * Whether there is a mark between the last paragraph with a mark and the end of this one. May keep more paragraphs than needed, but never
   * fewer.
   */
  #hasMark(): boolean {
    const end = this.bMarks[this.line] ?? this.src.length;
    if (this.#nextMark === -1 || this.#nextMark >= end) return false;
    this.#nextMark = this.src.indexOf(mark, end);
    return true;
  }
};
