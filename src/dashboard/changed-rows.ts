const row = /<(tr|li) id="([\w-]+)">[\s\S]*?<\/\1>/g;

/**
 * Returns the rows of tables and lists that differ between two states of a page, each as a part that htmx puts in the place of the row with
 * the same id. Null when more than these rows has changed.
 */
export function changedRows(before: string, after: string): string | null {
  const [frameBefore, frameAfter] = [before, after].map((page) => page.replace(row, '<$1 id="$2">'));
  if (frameBefore !== frameAfter) return null;
  const shown = new Map([...before.matchAll(row)].map(([markup, , id]) => [id, markup]));
  return [...after.matchAll(row)]
    .filter(([markup, , id = ""]) => shown.get(id) !== markup)
    .map(([markup, , id]) => `<hx-partial hx-target="#${id}" hx-swap="outerMorph">${markup}</hx-partial>`)
    .join("");
}
