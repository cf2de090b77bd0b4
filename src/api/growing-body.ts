/** Bytes that arrive in pieces, in memory of their own: to join pieces in the end would hold a body twice. */
export class GrowingBody {
  #buffer: ArrayBuffer;
  #size = 0;

  constructor(capacity: number) {
    this.#buffer = new ArrayBuffer(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** What it takes to hold so many bytes. */
  capacityFor(bytes: number): number {
    let capacity = Math.max(1, this.#buffer.byteLength);
    while (capacity < bytes) capacity *= 2;
    return capacity;
  }

  add(piece: Uint8Array, capacity: number): void {
    // Gives the smaller one back at once, and not when garbage is next collected.
    if (capacity > this.#buffer.byteLength) this.#buffer = this.#buffer.transfer(capacity);
    new Uint8Array(this.#buffer).set(piece, this.#size);
    this.#size += piece.length;
  }

  /** What has arrived so far, where it is. */
  content(): Buffer {
    return Buffer.from(this.#buffer, 0, this.#size);
  }

  /** Gives its memory back at once. */
  drop(): void {
    this.#buffer = this.#buffer.transfer(0);
    this.#size = 0;
  }

  /** Everything. Nothing can be added any more. */
  take(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer.transfer(this.#size));
  }
}
