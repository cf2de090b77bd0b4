import type { RequestPayload } from "fastify";
import { ProblemError } from "../problems/problem.ts";
import { type BodyBudget, type HeldRoom, tooBusy } from "./body-budget.ts";

/** Reading pauses here until it is decided whether to continue. */
export interface Gate {
  /** How many bytes of a body are read before the gate. */
  readonly at: number;
  /** The budget that must have room for the whole body. */
  readonly budget: BodyBudget;
  /** Rejects when the rest must not be read. */
  pass(beginning: Buffer): Promise<void>;
}

export interface BodyOptions {
  /** The announced length; null if it is unknown or the body is compressed. */
  readonly announced: number | null;
  /** Maximum size of the body, in bytes. */
  readonly limit: number;
  readonly budget: BodyBudget;
  readonly gate?: Gate | null;
  /** Receives each piece as it arrives. */
  readonly see?: ((piece: Buffer) => void) | undefined;
}

/** A body in memory of its own, which can be transferred to another thread. */
export interface HeldBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Must be released when no part of the body is used any more. The bytes are then lost. */
  readonly room: Pick<HeldRoom, "release">;
}

/** The initial capacity for a body of unknown length. */
const firstBytes = 64 * 1024;
/** The first allocation for a large body. Allocating all of it at once would make V8 collect garbage in one long pause. */
const firstLargeBytes = 1024 * 1024;

/**
 * Reads a body to its end.
 *
 * @throws ProblemError 413 when it is larger than the limit, 400 when its length differs from the announced one, 503 when
 *   there is no room for it.
 */
export async function readBody(payload: RequestPayload, options: BodyOptions): Promise<HeldBody> {
  const arriving = new ArrivingBody(payload, options);
  try {
    return await arriving.read();
  } catch (error) {
    arriving.release();
    // The rest is read and discarded, so that a client that is still sending receives the answer.
    payload
      .on("error", () => {})
      .on("data", giveBack)
      .resume();
    throw error;
  }
}

class ArrivingBody {
  readonly #payload: RequestPayload;
  readonly #options: BodyOptions;
  readonly #whole = Promise.withResolvers<void>();
  #room: HeldRoom | null = null;
  #isOver = false;

  constructor(payload: RequestPayload, options: BodyOptions) {
    this.#payload = payload;
    this.#options = options;
    // A handler, because the promise may reject before anything awaits it.
    this.#whole.promise.catch(() => {});
  }

  async read(): Promise<HeldBody> {
    const { announced, limit, budget, gate } = this.#options;
    if (announced !== null && announced > limit) throw tooLarge();
    const payload = this.#payload.once("error", this.#cutOff).once("close", this.#cutOff);
    const expected = Math.min(announced ?? firstBytes, gate?.at ?? limit);
    await this.#take(budget, expected);
    // The announced length of an unauthenticated body is not trusted.
    const body = new GrowingBody(Math.min(expected, gate ? firstBytes : firstLargeBytes), announced ?? limit);
    payload.on("data", (piece: Buffer) => this.#add(body, piece));
    payload.once("end", () => this.#end(body.size)).resume();
    if (payload.destroyed) this.#cutOff();
    try {
      await this.#whole.promise;
    } catch (error) {
      body.drop();
      throw error;
    }
    this.#room?.arrived();
    const bytes = body.take();
    const release = () => {
      // Frees the memory at once. Garbage collection may come long after the next bodies.
      if (!bytes.buffer.detached) bytes.buffer.transfer(0);
      this.release();
    };
    return { bytes, room: { release } };
  }

  release(): void {
    this.#isOver = true;
    this.#room?.release();
  }

  /** Takes room in a budget, in place of the room that the body already has. */
  async #take(budget: BodyBudget, bytes: number): Promise<void> {
    const room = await budget.take(bytes, () => this.#fail(tooBusy()));
    this.#room?.release();
    this.#room = room;
    if (this.#isOver) room.release();
  }

  #add(body: GrowingBody, piece: Buffer): void {
    const { announced, limit, gate, see } = this.#options;
    if (this.#isOver) return;
    const before = body.size;
    const received = before + piece.length;
    if (received > limit) return this.#fail(tooLarge());
    if (announced !== null && received > announced) return this.#fail(wrongLength());
    try {
      const capacity = body.capacityFor(received);
      this.#room?.growTo(capacity);
      body.add(piece, capacity);
      this.#room?.receive(piece.length);
      see?.(piece);
    } catch (error) {
      return this.#fail(error);
    }
    giveBack(piece);
    if (gate && before <= gate.at && received > gate.at) this.#askGate(gate, body);
  }

  #askGate({ pass, budget }: Gate, body: GrowingBody): void {
    this.#payload.pause();
    pass(body.content())
      .then(() => this.#take(budget, this.#options.announced ?? 2 * body.size))
      .then(
        () => this.#payload.resume(),
        (error: unknown) => this.#fail(error),
      );
  }

  #end(size: number): void {
    const { announced } = this.#options;
    if (announced !== null && size !== announced) return this.#fail(wrongLength());
    this.#whole.resolve();
  }

  readonly #cutOff = (error?: Error): void => {
    this.#fail(error instanceof ProblemError ? error : wrongLength());
  };

  #fail(error: unknown): void {
    this.#isOver = true;
    this.#whole.reject(error);
  }
}

/** Frees the memory of a piece at once. A piece that shares its memory with others keeps it. */
function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer.byteLength === byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function tooLarge(): ProblemError {
  return new ProblemError({ code: "BODY_TOO_LARGE", detail: "The body is too large." });
}

function wrongLength(): ProblemError {
  const detail = "The body was cut off, or is not as long as content-length says. Send it again.";
  return new ProblemError({ code: "BAD_REQUEST", detail });
}

/** A body above this size has its own memory pages: it grows in place, and its memory returns to the system instead of to the allocator. */
const largeBytes = 256 * 1024;
/** Maximum number of bytes that it grows by at a time. */
const stepBytes = 1024 * 1024;

/** Collects a body that arrives in pieces, in separate memory. Joining the pieces at the end would need the memory twice. */
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
