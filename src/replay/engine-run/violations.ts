const shown = 50;

/** Counts violations, and keeps the first ones as text. */
export class Violations {
  readonly #texts: string[] = [];
  #count = 0;

  add(invariant: string, text: string): void {
    this.#count++;
    if (this.#texts.length < shown) this.#texts.push(`${invariant}: ${text}`);
  }

  get texts(): string[] {
    const more = this.#count - this.#texts.length;
    return more === 0 ? [...this.#texts] : [...this.#texts, `and ${more} more`];
  }
}
