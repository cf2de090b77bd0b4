import { createHmac, timingSafeEqual } from "node:crypto";
import { nameKey } from "../../engine/model/names.ts";
import type { Place } from "../store/reads/stored-test-reads.ts";

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

/** The requested page, relative to a row of another page. */
export type Turn =
  | { readonly kind: "after" | "before"; readonly place: Place }
  | { readonly kind: "first" | "last" };

/** The scope in which a token is valid. All of it identifies the list. */
export interface PageScope {
  /** The list and its filters. */
  readonly list: readonly (string | number)[];
  readonly organisation: string;
  /** `host/owner/name`. */
  readonly repository: string;
  readonly pageSize: number;
}

const version = 1;
const kinds = ["first", "after", "before", "last"] as const;
const payloadBytes = 20;
const macBytes = 28;
/** 48 bytes need no padding in base64, so each token has exactly one spelling. */
const form = /^[\w-]{64}$/;

/**
 * Encodes where a page begins, in 64 characters: version (1 byte), kind (1), page size (2), time (8), key
 * (8), and 28 bytes of the HMAC-SHA256 of these and the scope. A token cannot be forged or used for another
 * list.
 */
export function renderPageToken(turn: Turn, scope: PageScope, key: Uint8Array): string {
  const payload = Buffer.alloc(payloadBytes);
  const place = "place" in turn ? turn.place : { at: 0, key: 0 };
  payload.writeUInt8(version, 0);
  payload.writeUInt8(kinds.indexOf(turn.kind), 1);
  payload.writeUInt16BE(scope.pageSize, 2);
  payload.writeBigInt64BE(BigInt(place.at), 4);
  payload.writeBigInt64BE(BigInt(place.key), 12);
  return Buffer.concat([payload, macOf(payload, scope, key)]).toString("base64url");
}

/** Null when this service did not issue the token for this list. */
export function parsePageToken(token: string, scope: PageScope, key: Uint8Array): Turn | null {
  if (!form.test(token)) return null;
  const bytes = Buffer.from(token, "base64url");
  const payload = bytes.subarray(0, payloadBytes);
  if (!timingSafeEqual(bytes.subarray(payloadBytes), macOf(payload, scope, key))) return null;
  const kind = kinds[payload.readUInt8(1)];
  if (payload.readUInt8(0) !== version || kind === undefined) return null;
  if (kind === "first" || kind === "last") return { kind };
  const place = { at: Number(payload.readBigInt64BE(4)), key: Number(payload.readBigInt64BE(12)) };
  return { kind, place };
}

function macOf(payload: Uint8Array, scope: PageScope, key: Uint8Array): Buffer {
  const { list, organisation, repository, pageSize } = scope;
  const named = JSON.stringify([list, nameKey(organisation), nameKey(repository), pageSize]);
  return createHmac("sha256", key).update(payload).update(named).digest().subarray(0, macBytes);
}
