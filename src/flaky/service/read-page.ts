import { createHmac, timingSafeEqual } from "node:crypto";
import { nameKey } from "../../engine/model/names.ts";
import type { Place } from "../store/reads/test-records.ts";

/** A list that is read by place, newest first. Later rows are older, or equally old with a smaller key. */
export interface PagedList<Row extends Place> {
  /** Rows after a place in reading order, or the rows before it, nearest first. A null place means the start or the end of the list. */
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
  readonly next: PageStart | null;
  readonly previous: PageStart | null;
  readonly last: PageStart | null;
}

/**
 * Returns one page of a list that may change between two requests. A page begins where the previous one ended, even if rows were added or
 * removed meanwhile. So a row that does not move is shown once, in either direction. Therefore pages may be incomplete, and an announced
 * next page may be empty. The totals are current.
 */
export async function readPage<Row extends Place>(
  list: PagedList<Row>,
  start: PageStart,
  size: number,
): Promise<Page<Row>> {
  const totalRows = await list.count(null);
  const { rows, hasNext, hasPrevious } = await readRows(list, start, size, totalRows);
  const [first] = rows;
  const ending = rows.at(-1);
  // No row precedes the list's first page.
  const before = first && start.kind !== "first" ? await list.count(placeOf(first)) : 0;
  const totalPages = Math.max(1, Math.ceil(totalRows / size));
  const isEmpty = totalRows === 0;
  return {
    rows,
    totalRows,
    totalPages,
    index: indexOf(start, first ? Math.floor(before / size) + 1 : null, totalPages),
    next:
      hasNext && !isEmpty ? (ending ? { kind: "after", place: placeOf(ending) } : { kind: "first" }) : null,
    previous:
      hasPrevious && !isEmpty ? (first ? { kind: "before", place: placeOf(first) } : { kind: "last" }) : null,
    last: isEmpty ? null : { kind: "last" },
  };
}

interface ReadRows<Row> {
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

async function readRows<Row extends Place>(
  list: PagedList<Row>,
  start: PageStart,
  size: number,
  totalRows: number,
): Promise<ReadRows<Row>> {
  switch (start.kind) {
    case "first":
    case "after": {
      const from = start.kind === "after" ? start.place : null;
      // One more row than shown, to know whether another page follows.
      const found = await list.read("after", from, size + 1);
      return { rows: found.slice(0, size), hasNext: found.length > size, hasPrevious: from !== null };
    }
    case "before":
    case "last": {
      const from = start.kind === "before" ? start.place : null;
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
function indexOf(start: PageStart, index: number | null, totalPages: number): number {
  return Math.min(index ?? (start.kind === "after" ? totalPages : 1), totalPages);
}

function placeOf({ at, key }: Place): Place {
  return { at, key };
}

/** The requested page, relative to a row of another page. */
export type PageStart =
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
/** 48 bytes need no padding in base64, so each token has only one spelling. */
const form = /^[\w-]{64}$/;

/**
 * Encodes where a page begins, in 64 characters: version (1 byte), kind (1), page size (2), time (8), key
 * (8), and 28 bytes of the HMAC-SHA256 of these and the scope. A token cannot be forged or used for another
 * list.
 */
export function renderPageToken(start: PageStart, scope: PageScope, key: Uint8Array): string {
  const payload = Buffer.alloc(payloadBytes);
  const place = "place" in start ? start.place : { at: 0, key: 0 };
  payload.writeUInt8(version, 0);
  payload.writeUInt8(kinds.indexOf(start.kind), 1);
  payload.writeUInt16BE(scope.pageSize, 2);
  payload.writeBigInt64BE(BigInt(place.at), 4);
  payload.writeBigInt64BE(BigInt(place.key), 12);
  return Buffer.concat([payload, macOf(payload, scope, key)]).toString("base64url");
}

/** Null when this service did not issue the token for this list. */
export function parsePageToken(token: string, scope: PageScope, key: Uint8Array): PageStart | null {
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
