const none = -1;

/** Which pull requests impact which target: chains in flat arrays, since a million pairs as objects would take 100 MB. */
export class Postings {
  #heads = new Int32Array(1024).fill(none);
  #targets = new Uint32Array(1024);
  #prs = new Int32Array(1024);
  #next = new Int32Array(1024);
  /** Places that were given up, chained. */
  #free = none;
  #used = 0;

  add(target: number, pr: number): void {
    const place = this.#place();
    const head = this.#chain(target);
    this.#targets[place] = target;
    this.#prs[place] = pr;
    this.#next[place] = this.#heads[head] ?? none;
    this.#heads[head] = place;
  }

  remove(target: number, pr: number): void {
    const head = this.#chain(target);
    let before = none;
    for (let at = this.#heads[head] ?? none; at !== none; before = at, at = this.#next[at] ?? none) {
      if (this.#targets[at] !== target || this.#prs[at] !== pr) continue;
      const next = this.#next[at] ?? none;
      if (before === none) this.#heads[head] = next;
      else this.#next[before] = next;
      this.#next[at] = this.#free;
      this.#free = at;
      return;
    }
  }

  /** Adds those that impact a target to the ones found so far. */
  collect(target: number, found: Set<number>): void {
    for (let at = this.#heads[this.#chain(target)] ?? none; at !== none; at = this.#next[at] ?? none) {
      if (this.#targets[at] === target) found.add(this.#prs[at] ?? 0);
    }
  }

  #chain(target: number): number {
    return (Math.imul(target, 0x9e3779b1) >>> 0) & (this.#heads.length - 1);
  }

  #place(): number {
    const free = this.#free;
    if (free !== none) {
      this.#free = this.#next[free] ?? none;
      return free;
    }
    if (this.#used === this.#targets.length) this.#grow();
    return this.#used++;
  }

  #grow(): void {
    const length = 2 * this.#used;
    this.#targets = grown(this.#targets, new Uint32Array(length));
    this.#prs = grown(this.#prs, new Int32Array(length));
    this.#next = grown(this.#next, new Int32Array(length));
    this.#heads = new Int32Array(length).fill(none);
    for (let place = 0; place < this.#used; place++) {
      const head = this.#chain(this.#targets[place] ?? 0);
      this.#next[place] = this.#heads[head] ?? none;
      this.#heads[head] = place;
    }
  }
}

function grown<T extends Uint32Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
