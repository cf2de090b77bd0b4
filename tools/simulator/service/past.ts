interface Moment<T> {
  readonly since: number;
  readonly value: T;
}

/** What the code host's replicas may still show: earlier values, each with the time since when it held. */
export class Past {
  readonly #moments = new Map<string, Moment<unknown>[]>();

  /** Records the value that something has from now on. */
  record(key: string, now: number, value: unknown): void {
    const known = this.#moments.get(key) ?? [];
    known.push({ since: now, value });
    this.#moments.set(key, known);
  }

  /** The value at a time; the given one if nothing is known of that time. */
  at<T>(key: string, time: number, current: T): T {
    const moment = this.#moments.get(key)?.findLast(({ since }) => since <= time);
    return moment ? (moment.value as T) : current;
  }
}
