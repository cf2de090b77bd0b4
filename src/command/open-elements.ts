/** Elements that have no end tag, or may omit it. */
const endless: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot option".split(
    " ",
  ),
);

/** A name matches as a whole or not at all. With backtracking letter by letter, a long name would take quadratic time. */
const tags = /<(\/?)([a-z][a-z0-9-]*)(?![a-z0-9-])[^<>]*>/gi;

/** Tracks which HTML elements are open: text inside `<details>` is not plain text, even after an empty line. */
export class OpenElements {
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
