import MarkdownIt from "markdown-it";

const parser = new MarkdownIt({ html: true });
parser.core.ruler.enableOnly(["normalize", "block"]);

type BlockState = InstanceType<typeof parser.block.State>;
type BlockToken = ReturnType<BlockState["push"]>;

/**
 * The paragraphs at the top level of a text (`inline`), and its HTML at any level (`html_block`), in order. `env` takes
 * the definitions of links.
 *
 * Making tokens and keeping them is most of what a long text costs. So no others are made: lists, tables and headings
 * only have to be passed over.
 */
export function findBlocks(
  text: string,
  env: Record<string, unknown>,
): Pick<BlockToken, "type" | "content">[] {
  return parser.parse(text, env);
}

parser.block.State = class extends parser.block.State {
  #isParagraph = false;
  /** What the parser's rules may write to; they read nothing back. */
  readonly #passedOver: BlockToken = new this.Token("", "", 0);

  override push(...token: Parameters<BlockState["push"]>): BlockToken {
    const [type, , nesting] = token;
    if (type === "html_block" || (type === "inline" && this.#isParagraph)) return super.push(...token);
    this.#isParagraph = type === "paragraph_open" && this.level === 0;
    this.level += nesting;
    return this.#passedOver;
  }
};
