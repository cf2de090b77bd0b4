import { describe, expect, test } from "@jest/globals";
import { type Page, type PagedList, type PageStart, readPage } from "../../../src/flaky/service/read-page.ts";
import type { Place } from "../../../src/flaky/store/reads/test-records.ts";

import fc from "../../drawn.ts";

/** A list in memory, newest first, that can change between two pages. The store passes the same tests in its contract. */
class ListOfRows implements PagedList<Place> {
  readonly rows: Place[] = [];

  constructor(count: number) {
    // Four rows share each time, so that pages begin and end between rows of one time.
    for (let key = count; key >= 1; key--) this.rows.push({ at: Math.floor(key / 4) * 1_000, key });
  }

  async read(direction: "after" | "before", place: Place | null, limit: number): Promise<readonly Place[]> {
    if (direction === "after")
      return this.rows.filter((row) => place === null || isAfter(row, place)).slice(0, limit);
    return this.rows
      .toReversed()
      .filter((row) => place === null || isAfter(place, row))
      .slice(0, limit);
  }

  async count(before: Place | null): Promise<number> {
    return before === null ? this.rows.length : this.rows.filter((row) => isAfter(before, row)).length;
  }

  add(row: Place): void {
    this.rows.push(row);
    this.rows.sort((a, b) => b.at - a.at || b.key - a.key);
  }

  remove(index: number): Place | undefined {
    return this.rows.splice(index, 1)[0];
  }
}

function isAfter(row: Place, place: Place): boolean {
  return row.at < place.at || (row.at === place.at && row.key < place.key);
}

/** Returns every page from a turn on, in one direction. Calls `meanwhile` after each page. */
async function walk(
  list: PagedList<Place>,
  from: PageStart,
  towards: "next" | "previous",
  size: number,
  meanwhile: () => void = () => {},
): Promise<Page<Place>[]> {
  const pages: Page<Place>[] = [];
  for (let turn: PageStart | null = from; turn !== null; ) {
    const page: Page<Place> = await readPage(list, turn, size);
    pages.push(page);
    // An empty page at the end of the list links to a new start, so the walk ends there.
    turn = page.rows.length === 0 ? null : page[towards];
    meanwhile();
  }
  return pages;
}

const keysOf = (pages: readonly Page<Place>[]) => pages.flatMap(({ rows }) => rows.map(({ key }) => key));

describe("turning pages", () => {
  const counts = [0, 1, 2, 3, 9, 10, 11, 19, 20, 21, 49, 50, 51, 99, 100, 101, 199, 200, 201, 249, 250];
  const sizes = Array.from({ length: 100 }, (_, index) => index + 1);

  test("shows each row once for every page size, forwards, backwards, and from the last page", async () => {
    for (const size of sizes) {
      // Every number of rows is tested with some page size, and the critical ones with all.
      const some = Array.from({ length: 3 }, (_, index) => (size + index * 100) % 251);
      for (const count of new Set([...counts, ...some, size, 2 * size].filter((one) => one <= 250))) {
        const list = new ListOfRows(count);
        const keys = list.rows.map(({ key }) => key);
        const forwards = await walk(list, { kind: "first" }, "next", size);
        expect(keysOf(forwards)).toEqual(keys);
        const pages = Math.max(1, Math.ceil(count / size));
        expect(
          forwards.map(({ index, totalPages, totalRows }) => ({ index, totalPages, totalRows })),
        ).toEqual(
          Array.from({ length: pages }, (_, index) => ({
            index: index + 1,
            totalPages: pages,
            totalRows: count,
          })),
        );
        const backwards = await walk(list, { kind: "last" }, "previous", size);
        // The pages are the same as forwards, page by page.
        expect(backwards.toReversed().map(({ rows }) => rows)).toEqual(forwards.map(({ rows }) => rows));
        expect(backwards.map(({ index }) => index)).toEqual(forwards.map(({ index }) => index).toReversed());
        const ends = forwards.at(-1);
        if (ends && count > 0)
          expect((await readPage(list, ends.last as PageStart, size)).rows).toEqual(ends.rows);
        if (count > 0) {
          expect(forwards.map(({ previous }) => previous === null)).toEqual(
            forwards.map((_, index) => index === 0),
          );
        } else expect(forwards[0]).toMatchObject({ index: 1, next: null, previous: null, last: null });
      }
    }
  });

  test("loses and repeats no row while rows are added and removed", async () => {
    const change = fc.record({
      add: fc.option(fc.integer({ min: 0, max: 70_000 }), { nil: null }),
      remove: fc.option(fc.nat({ max: 260 }), { nil: null }),
    });
    const drawn = fc.record({
      count: fc.integer({ min: 0, max: 250 }),
      size: fc.integer({ min: 1, max: 100 }),
      towards: fc.constantFrom("next" as const, "previous" as const),
      changes: fc.array(change, { minLength: 1, maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ count, size, towards, changes }) => {
        const list = new ListOfRows(count);
        const there = new Set(list.rows.map(({ key }) => key));
        let step = 0;
        let added = count;
        // Rows are added only in the first 300 steps, so that the walk comes to an end.
        const pages = await walk(
          list,
          towards === "next" ? { kind: "first" } : { kind: "last" },
          towards,
          size,
          () => {
            const { add, remove } = changes[step++ % changes.length] ?? { add: null, remove: null };
            if (add !== null && step < 300) list.add({ at: add, key: ++added });
            const removed = remove === null ? undefined : list.remove(remove);
            if (removed) there.delete(removed.key);
          },
        );
        const shown = keysOf(pages);
        expect(new Set(shown).size).toBe(shown.length);
        expect([...there].filter((key) => !shown.includes(key))).toEqual([]);
        for (const { index, totalPages } of pages) expect(index).toBeLessThanOrEqual(totalPages);
      }),
      { numRuns: 400 },
    );
  });

  test("starts again from a page that has become empty", async () => {
    const list = new ListOfRows(4);
    const first = await readPage(list, { kind: "first" }, 2);
    list.rows.splice(2);
    const second = await readPage(list, first.next as PageStart, 2);
    expect(second).toMatchObject({ rows: [], index: 1, totalPages: 1, totalRows: 2, next: null });
    expect((await readPage(list, second.previous as PageStart, 2)).rows).toEqual(first.rows);
    const last = await readPage(new ListOfRows(4), { kind: "last" }, 2);
    list.rows.splice(0);
    list.add({ at: 0, key: 1 });
    const none = await readPage(list, last.previous as PageStart, 2);
    expect(none).toMatchObject({ rows: [], index: 1, totalRows: 1, previous: null });
    expect((await readPage(list, none.next as PageStart, 2)).rows).toEqual([{ at: 0, key: 1 }]);
  });
});
