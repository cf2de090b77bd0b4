/** A map of limited size. To make room, it drops the entry that was set the longest time ago. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxSize: number;

  constructor(maxSize: number) {
    super();
    this.#maxSize = maxSize;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.size > this.#maxSize ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }
}
