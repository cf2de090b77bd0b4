/** Finds the next occurrence of a string in a text. For positions in ascending order, the text is searched only once. */
export class NextOf {
  readonly #sought: string;
  #text = "";
  #found = -1;

  constructor(sought: string) {
    this.#sought = sought;
  }

  begin(text: string): void {
    this.#text = text;
    this.#found = -1;
  }

  /** Infinity = there is none. */
  from(at: number): number {
    if (this.#found < at) {
      const found = this.#text.indexOf(this.#sought, at);
      this.#found = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#found;
  }
}
