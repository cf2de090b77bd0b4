import type { Place } from "../store/reads/stored-test-reads.ts";
import type { Turn } from "./page-token.ts";

/** A list that is read by place, newest first. Later rows are older, or equally old with a smaller key. */
export interface PagedList<Row extends Place> {
  /**
   * Rows after a place in reading order, or the rows before it, nearest first; a null place means the start
   * or the end of the list.
   */
  read(direction: "after" | "before", place: Place | null, limit: number): Promise<readonly Row[]>;
  /** The number of rows, or of rows before a place. */
  count(before: Place | null): Promise<number>;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly totalRows: number;
  readonly totalPages: number;
  /** The current number of the page that contains the first row, from 1. */
  readonly index: number;
  /** Null when there is no such page. */
  readonly next: Turn | null;
  readonly previous: Turn | null;
  readonly last: Turn | null;
}

/**
 * Returns one page of a list that may change between two requests. A page begins where the previous one
 * ended, regardless of rows added or removed meanwhile: a row that does not move is shown once, in either
 * direction. Therefore pages may be incomplete, and an announced next page may be empty. The totals are
 * current.
 */
export async function turnPage<Row extends Place>(
  list: PagedList<Row>,
  turn: Turn,
  size: number,
): Promise<Page<Row>> {
  const totalRows = await list.count(null);
  const { rows, hasNext, hasPrevious } = await readTurned(list, turn, size, totalRows);
  const [first] = rows;
  const ending = rows.at(-1);
  // No row precedes the list's first page.
  const before = first && turn.kind !== "first" ? await list.count(placeOf(first)) : 0;
  const totalPages = Math.max(1, Math.ceil(totalRows / size));
  const isEmpty = totalRows === 0;
  return {
    rows,
    totalRows,
    totalPages,
    index: indexOf(turn, first ? Math.floor(before / size) + 1 : null, totalPages),
    next:
      hasNext && !isEmpty ? (ending ? { kind: "after", place: placeOf(ending) } : { kind: "first" }) : null,
    previous:
      hasPrevious && !isEmpty ? (first ? { kind: "before", place: placeOf(first) } : { kind: "last" }) : null,
    last: isEmpty ? null : { kind: "last" },
  };
}

interface Turned<Row> {
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

async function readTurned<Row extends Place>(
  list: PagedList<Row>,
  turn: Turn,
  size: number,
  totalRows: number,
): Promise<Turned<Row>> {
  switch (turn.kind) {
    case "first":
    case "after": {
      const from = turn.kind === "after" ? turn.place : null;
      // One row more than shown tells whether another page follows.
      const found = await list.read("after", from, size + 1);
      return { rows: found.slice(0, size), hasNext: found.length > size, hasPrevious: from !== null };
    }
    case "before":
    case "last": {
      const from = turn.kind === "before" ? turn.place : null;
      const shown = from ? size : totalRows % size || size;
      const found = await list.read("before", from, shown + 1);
      return {
        rows: found.slice(0, shown).toReversed(),
        hasNext: from !== null,
        hasPrevious: found.length > shown,
      };
    }
  }
}

/** An empty page keeps the position that its rows had. */
function indexOf(turn: Turn, index: number | null, totalPages: number): number {
  return Math.min(index ?? (turn.kind === "after" ? totalPages : 1), totalPages);
}

function placeOf({ at, key }: Place): Place {
  return { at, key };
}
