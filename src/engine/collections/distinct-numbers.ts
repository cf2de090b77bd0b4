/** Counts distinct numbers. Memory grows with the number of distinct values, not with their repetitions. */
export class DistinctNumbers {
  /** First the sorted, distinct numbers of the last compaction, then the numbers that were added since. */
  #numbers = new Float64Array(4_096);
  #size = 0;

  add(number: number): void {
    if (this.#size === this.#numbers.length) this.#makeRoom();
    this.#numbers[this.#size++] = number;
  }

  get count(): number {
    this.#dropRepeated();
    return this.#size;
  }

  #makeRoom(): void {
    this.#dropRepeated();
    if (this.#size <= this.#numbers.length / 2) return;
    const larger = new Float64Array(2 * this.#numbers.length);
    larger.set(this.#numbers);
    this.#numbers = larger;
  }

  #dropRepeated(): void {
    const numbers = this.#numbers.subarray(0, this.#size).sort();
    let size = 0;
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] as number;
      if (i === 0 || number !== numbers[size - 1]) numbers[size++] = number;
    }
    this.#size = size;
  }
}
