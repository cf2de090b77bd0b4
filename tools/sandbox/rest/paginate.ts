const DEFAULT_PAGE_SIZE = 30;
const LARGEST_PAGE_SIZE = 100;

/**
 * Returns one page of a list, and the `Link` header to the other pages.
 * https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
 */
export function paginate<T>(
  { url, query }: { url: URL; query: { per_page?: number | undefined; page?: number | undefined } },
  items: readonly T[],
): { page: T[]; headers: Record<string, string> } {
  const size = Math.min(Math.max(query.per_page ?? DEFAULT_PAGE_SIZE, 1), LARGEST_PAGE_SIZE);
  const number = Math.max(query.page ?? 1, 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const links: [rel: string, page: number][] = [];
  if (number > 1) links.push(["prev", Math.min(number - 1, last)], ["first", 1]);
  if (number < last) links.push(["next", number + 1], ["last", last]);
  const link = links.map(([rel, page]) => {
    const target = new URL(url);
    target.searchParams.set("page", String(page));
    return `<${target}>; rel="${rel}"`;
  });
  return {
    page: items.slice((number - 1) * size, number * size),
    headers: link.length === 0 ? {} : { link: link.join(", ") },
  };
}
