interface Scheduled<T> {
  readonly at: number;
  readonly order: number;
  readonly event: T;
}

/** Scheduled events, soonest first; at equal times in the order of scheduling. A binary heap. */
export class EventHeap<T> {
  readonly #items: Scheduled<T>[] = [];
  #scheduled = 0;

  get size(): number {
    return this.#items.length;
  }

  schedule(at: number, event: T): void {
    const item: Scheduled<T> = { at, order: this.#scheduled++, event };
    const items = this.#items;
    let place = items.length;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      const above = items[parent];
      if (!above || !isBefore(item, above)) break;
      items[place] = above;
      place = parent;
    }
    items[place] = item;
  }

  /** Removes and returns the next event; null = there is none. */
  next(): { readonly at: number; readonly event: T } | null {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (!first || !last) return null;
    if (items.length > 0) this.#sink(last);
    return first;
  }

  /** Moves an item from the top down to its place. */
  #sink(item: Scheduled<T>): void {
    const items = this.#items;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const child = this.#soonerOf(left, left + 1);
      const below = items[child];
      if (!below || !isBefore(below, item)) break;
      items[place] = below;
      place = child;
    }
    items[place] = item;
  }

  #soonerOf(left: number, right: number): number {
    const a = this.#items[left];
    const b = this.#items[right];
    return a && b && isBefore(b, a) ? right : left;
  }
}

function isBefore(a: Scheduled<unknown>, b: Scheduled<unknown>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
