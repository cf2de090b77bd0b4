/**
 * A body above this size has its own memory pages: it grows in place, and its memory goes back to the system instead of to
 * the allocator.
 */
const largeBytes = 256 * 1024;
/** Maximum number of bytes that it grows by at a time. */
const stepBytes = 1024 * 1024;

/** A body that arrives in pieces, in memory of its own. Joining the pieces at the end would hold the body twice. */
export class GrowingBody {
  readonly #most: number;
  #buffer: ArrayBuffer;
  #size = 0;

  /** @param most maximum capacity in bytes */
  constructor(capacity: number, most: number) {
    this.#most = most;
    this.#buffer = allocate(capacity, most);
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the capacity that is needed to hold this many bytes. */
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

  /** Returns the bytes received so far, without a copy. */
  content(): Buffer {
    return Buffer.from(this.#buffer, 0, this.#size);
  }

  /** Frees the memory at once. */
  drop(): void {
    this.#buffer = this.#buffer.transfer(0);
    this.#size = 0;
  }

  /** Returns all bytes. Nothing can be added afterwards. */
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
