/** The text of a page without its markup, with one space between words. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code)))
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The cells of a pull request's row as text; null if the page has no such row. */
export function rowOf(html: string, pr: number): string[] | null {
  const [, row] = new RegExp(`<tr id="pr-${pr}">([\\s\\S]*?)</tr>`).exec(html) ?? [];
  return row?.split("</td>").slice(0, -1).map(textOf) ?? null;
}
