import MarkdownIt from "markdown-it";

const parser = new MarkdownIt({ html: true });
parser.core.ruler.enableOnly(["normalize", "block"]);

type BlockState = InstanceType<typeof parser.block.State>;
type BlockToken = ReturnType<BlockState["push"]>;
type Nesting = Parameters<BlockState["push"]>[2];

/** A character that means nothing to anybody; what stands behind it is read as plain text. */
export const mark = "\uE000";

/**
 * The paragraphs at the top level of a text that hold a mark (`inline`), and its HTML at any level (`html_block`), in
 * order. `env` takes the definitions of links.
 *
 * Making tokens and keeping them is most of what a long text costs. So hardly any others are made: lists, tables and
 * headings only have to be passed over.
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
  /** What the parser's rules may write to; they read nothing back. */
  readonly #passedOver: BlockToken = new this.Token("", "", 0);

  override push(type: string, tag: string, nesting: Nesting): BlockToken {
    const isWanted = type === "html_block" || (type === "inline" && this.#isParagraph && this.#hasMark());
    if (isWanted) return super.push(type, tag, nesting);
    this.#isParagraph = this.level === 0 && type === "paragraph_open";
    this.level += nesting;
    return this.#passedOver;
  }

  /** Whether a mark stands between the last paragraph that held one and the end of this one: more may be kept than needed, not less. */
  #hasMark(): boolean {
    const end = this.bMarks[this.line] ?? this.src.length;
    if (this.#nextMark === -1 || this.#nextMark >= end) return false;
    this.#nextMark = this.src.indexOf(mark, end);
    return true;
  }
};
