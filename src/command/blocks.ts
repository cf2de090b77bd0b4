import MarkdownIt from "markdown-it";

const parser = new MarkdownIt({ html: true });
parser.core.ruler.enableOnly(["normalize", "block"]);

type BlockState = InstanceType<typeof parser.block.State>;
type BlockToken = ReturnType<BlockState["push"]>;
type Nesting = Parameters<BlockState["push"]>[2];

/** A character without a meaning. Text behind it is read as plain text. */
export const mark = "\uE000";

/**
 * Finds the top-level paragraphs of a text that hold a mark (`inline`), and its HTML at any level (`html_block`), in order.
 * `env` receives the definitions of links.
 *
 * Most of the time for a long text goes into creating and keeping tokens. So hardly any other tokens are created: lists,
 * tables and headings only have to be passed over.
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
  /** A token for the parser's rules to write to. They read nothing back. */
  readonly #passedOver: BlockToken = new this.Token("", "", 0);

  override push(type: string, tag: string, nesting: Nesting): BlockToken {
    const isWanted = type === "html_block" || (type === "inline" && this.#isParagraph && this.#hasMark());
    if (isWanted) return super.push(type, tag, nesting);
    this.#isParagraph = this.level === 0 && type === "paragraph_open";
    this.level += nesting;
    return this.#passedOver;
  }

  /**
   * Whether a mark stands between the last paragraph with a mark and the end of this one. It may keep more paragraphs than
   * needed, but never fewer.
   */
  #hasMark(): boolean {
    const end = this.bMarks[this.line] ?? this.src.length;
    if (this.#nextMark === -1 || this.#nextMark >= end) return false;
    this.#nextMark = this.src.indexOf(mark, end);
    return true;
  }
};
