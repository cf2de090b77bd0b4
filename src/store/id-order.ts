import { setImmediate as nextRound } from "node:timers/promises";
import type { NumberedId } from "./test-ids.ts";

/** Characters by which ids are told apart before they are sorted: of a UUID, a few dozen among 200,000 begin alike. */
const prefixLength = 3;

/** Ids in ascending order, which are sorted piece by piece, so that other work gets its turn. */
export class IdOrder {
  readonly #byPrefix = new Map<string, NumberedId[]>();

  add(one: NumberedId): void {
    const prefix = one.id.slice(0, prefixLength);
    const alike = this.#byPrefix.get(prefix);
    if (alike) alike.push(one);
    else this.#byPrefix.set(prefix, [one]);
  }

  /** At least `size` at a time, but for the last. */
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
