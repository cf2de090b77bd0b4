const none = -1;

/** The numbers of a pair: target, pull request, next pair of the chain, and one unused. A cache line holds four pairs. */
const width = 4;
const prOf = 1;
const nextOf = 2;

/** Maps targets to the pull requests that impact them. Hash chains in flat arrays, because a million pairs as objects would take 100 MB. */
export class Postings {
  #heads = new Int32Array(1024).fill(none);
  #pairs = new Int32Array(1024 * width);
  /** The first free place. Free places form a chain, too. */
  #free = none;
  #used = 0;

  add(target: number, pr: number): void {
    const place = this.#place();
    const pairs = this.#pairs;
    const head = this.#chain(target);
    pairs[place] = target;
    pairs[place + prOf] = pr;
    pairs[place + nextOf] = this.#heads[head] as number;
    this.#heads[head] = place;
  }

  remove(target: number, pr: number): void {
    const pairs = this.#pairs;
    const head = this.#chain(target);
    let before = none;
    for (let at = this.#heads[head] as number; at !== none; before = at, at = pairs[at + nextOf] as number) {
      if (pairs[at] !== (target | 0) || pairs[at + prOf] !== pr) continue;
      const next = pairs[at + nextOf] as number;
      if (before === none) this.#heads[head] = next;
      else pairs[before + nextOf] = next;
      pairs[at + nextOf] = this.#free;
      this.#free = at;
      return;
    }
  }

  /** Adds the pull requests that impact a target to `found`. */
  collect(target: number, found: Set<number>): void {
    const pairs = this.#pairs;
    for (
      let at = this.#heads[this.#chain(target)] as number;
      at !== none;
      at = pairs[at + nextOf] as number
    ) {
      if (pairs[at] === (target | 0)) found.add(pairs[at + prOf] as number);
    }
  }

  #chain(target: number): number {
    return (Math.imul(target, 0x9e3779b1) >>> 0) & (this.#heads.length - 1);
  }

  #place(): number {
    const free = this.#free;
    if (free !== none) {
      this.#free = this.#pairs[free + nextOf] as number;
      return free;
    }
    if (this.#used === this.#pairs.length) this.#grow();
    const place = this.#used;
    this.#used += width;
    return place;
  }

  #grow(): void {
    const pairs = new Int32Array(2 * this.#used);
    pairs.set(this.#pairs);
    this.#pairs = pairs;
    this.#heads = new Int32Array((2 * this.#used) / width).fill(none);
    for (let place = 0; place < this.#used; place += width) {
      const head = this.#chain(pairs[place] as number);
      pairs[place + nextOf] = this.#heads[head] as number;
      this.#heads[head] = place;
    }
  }
}
