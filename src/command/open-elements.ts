/** Elements without an end tag, or that do without one. */
const endless: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot option".split(
    " ",
  ),
);

/** A name is taken whole or not at all: given back letter by letter, a long one would take a time that grows with its square. */
const tags = /<(\/?)([a-z][a-z0-9-]*)(?![a-z0-9-])[^<>]*>/gi;

/** Which HTML elements are open: what stands in `<details>` is not plain text, even after an empty line. */
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
