import { setImmediate } from "node:timers/promises";
import { inBatches } from "../../engine/collections/in-batches.ts";
import { CountedTargets } from "../../engine/model/targets.ts";
import { NamedTargets } from "./named-targets.ts";
import type { ReadRequest } from "./read-request.ts";

interface PackedTargets {
  readonly numbers: Uint32Array<ArrayBuffer>;
  readonly count: number;
  readonly names: readonly string[];
}

/** A request that is passed to another thread without copying: its large parts are transferred. */
export interface PackedRequest extends ReadRequest {
  /** Fields that were taken out of the body. */
  readonly lists: Readonly<Record<string, PackedList>>;
  readonly targets: Readonly<Record<string, PackedTargets>>;
}

export function packRequest(read: ReadRequest): { packed: PackedRequest; transfer: ArrayBuffer[] } {
  const lists: Record<string, PackedList> = {};
  const targets: Record<string, PackedTargets> = {};
  if (!read.parsed.ok) return { packed: { ...read, lists, targets }, transfer: [] };
  const rest: Record<string, unknown> = {};
  const transfer: ArrayBuffer[] = [];
  for (const [name, value] of Object.entries(read.parsed.body as object)) {
    if (value instanceof NamedTargets) {
      const { counted, names } = value;
      const numbers = counted.targets.toNumbers();
      targets[name] = { numbers, count: counted.count, names };
      transfer.push(numbers.buffer);
    } else if (Array.isArray(value)) {
      const packed = packList(value);
      lists[name] = packed;
      transfer.push(packed.bytes.buffer, ...packed.pieces.map(({ buffer }) => buffer));
    } else rest[name] = value;
  }
  return { packed: { ...read, parsed: { ok: true, body: rest }, lists, targets }, transfer };
}

export async function unpackRequest({ lists, targets, ...read }: PackedRequest): Promise<ReadRequest> {
  if (!read.parsed.ok) return read;
  const body = { ...(read.parsed.body as object) } as Record<string, unknown>;
  for (const [name, { numbers, count, names }] of Object.entries(targets)) {
    body[name] = new NamedTargets(CountedTargets.ofDistinct(numbers, count), names);
  }
  for (const [name, list] of Object.entries(lists)) body[name] = await unpackList(list);
  return { ...read, parsed: { ok: true, body } };
}

/** A list as pieces of JSON, so that it can be unpacked piece by piece. */
export interface PackedList {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  /** The `bytes` of all items, concatenated. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Item {
  readonly bytes?: Uint8Array<ArrayBuffer> | null;
}

/** Where the bytes that are left out of the JSON begin and end. */
type Place = readonly [from: number, to: number];

const itemsInPiece = 200;
/** A piece contains fewer items if they are long. */
const charactersInPiece = 100_000;

/** Packs a list of JSON values. The `bytes` of its items are stored outside the JSON. */
export function packList(items: readonly unknown[]): PackedList {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const placed = (items as readonly Item[]).map((item) => {
    if (!item?.bytes) return item;
    const from = size;
    chunks.push(item.bytes);
    size += item.bytes.length;
    return { ...item, bytes: [from, size] satisfies Place };
  });
  return { pieces: [...piecesOf(placed)], bytes: joined(chunks, size) };
}

/** Unpacks a list. Other requests are served between the pieces. */
export async function unpackList({ pieces, bytes }: PackedList): Promise<unknown[]> {
  const items: unknown[] = [];
  for (const piece of pieces) {
    const some: readonly { readonly bytes?: Place | null }[] = JSON.parse(
      Buffer.from(piece.buffer).toString(),
    );
    for (const item of some) {
      items.push(item?.bytes ? { ...item, bytes: bytes.subarray(...item.bytes) } : item);
    }
    await setImmediate();
  }
  return items;
}

function* piecesOf(items: readonly unknown[]): Generator<Uint8Array<ArrayBuffer>> {
  const texts = items.values().map((item) => JSON.stringify(item));
  for (const piece of inBatches(texts, itemsInPiece, { most: charactersInPiece, of: (text) => text.length }))
    yield new TextEncoder().encode(`[${piece.join(",")}]`);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
