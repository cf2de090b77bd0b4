/** A larger body has its own memory pages: it grows in place, and its memory goes back to the system instead of to the allocator. */
const largeBytes = 256 * 1024;
/** How much it grows by at a time. */
const stepBytes = 1024 * 1024;

/** Bytes that arrive in pieces, in memory of their own: to join pieces in the end would hold a body twice. */
export class GrowingBody {
  readonly #most: number;
  #buffer: ArrayBuffer;
  #size = 0;

  /** @param most is never exceeded, in bytes. */
  constructor(capacity: number, most: number) {
    this.#most = most;
    this.#buffer = allocate(capacity, most);
  }

  get size(): number {
    return this.#size;
  }

  /** What it takes to hold so many bytes. */
  capacityFor(bytes: number): number {
    let capacity = Math.max(1, this.#buffer.byteLength);
    while (capacity < bytes) capacity += Math.min(capacity, stepBytes);
    return Math.min(capacity, this.#most);
  }

  add(piece: Uint8Array, capacity: number): void {
    if (capacity > this.#buffer.byteLength) this.#growTo(capacity);
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
    if (this.#buffer.resizable) this.#buffer.resize(this.#size);
    else this.#buffer = this.#buffer.transfer(this.#size);
    return new Uint8Array(this.#buffer);
  }

  #growTo(capacity: number): void {
    if (this.#buffer.resizable) return this.#buffer.resize(capacity);
    const larger = allocate(capacity, this.#most);
    new Uint8Array(larger).set(new Uint8Array(this.#buffer, 0, this.#size));
    this.#buffer.transfer(0);
    this.#buffer = larger;
  }
}

function allocate(capacity: number, most: number): ArrayBuffer {
  return new ArrayBuffer(capacity, capacity > largeBytes ? { maxByteLength: most } : undefined);
}
