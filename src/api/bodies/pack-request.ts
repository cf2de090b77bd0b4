import { CountedTargets } from "../../engine/model/targets.ts";
import { NamedTargets } from "./named-targets.ts";
import { type PackedList, packList, unpackList } from "./pack-list.ts";
import type { ReadRequest } from "./read-request.ts";

interface PackedTargets {
  readonly numbers: Uint32Array<ArrayBuffer>;
  readonly count: number;
  readonly names: readonly string[];
}

/** A request that another thread receives at no cost: its large parts are transferred, not copied. */
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
