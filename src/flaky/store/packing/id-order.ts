import { setImmediate as nextRound } from "node:timers/promises";
import type { NumberedId } from "../uploads/test-ids.ts";

/**
 * The number of characters by which ids are grouped before sorting. Of 200,000 UUIDs, a few dozen share a
 * prefix.
 */
const prefixLength = 3;

/** Ids in ascending order. They are sorted group by group, so that other work can run. */
export class IdOrder {
  readonly #byPrefix = new Map<string, NumberedId[]>();

  add(one: NumberedId): void {
    const prefix = one.id.slice(0, prefixLength);
    const alike = this.#byPrefix.get(prefix);
    if (alike) alike.push(one);
    else this.#byPrefix.set(prefix, [one]);
  }

  /** Yields at least `size` ids at a time, except in the last batch. */
  async *batches(size: number): AsyncGenerator<readonly NumberedId[]> {
    let batch: NumberedId[] = [];
    for (const prefix of [...this.#byPrefix.keys()].sort()) {
      for (const one of this.#byPrefix.get(prefix)?.sort(byId) ?? []) batch.push(one);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
      await nextRound();
    }
    if (batch.length > 0) yield batch;
  }
}

function byId(one: NumberedId, other: NumberedId): number {
  return one.id < other.id ? -1 : 1;
}
