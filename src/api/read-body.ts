import type { RequestPayload } from "fastify";
import { ProblemError } from "./problem.ts";

/** Where reading stops until it is known whether to go on. */
export interface Gate {
  /** So much is read of anybody, in bytes. */
  readonly at: number;
  /** Rejects when the rest is not to be read. */
  pass(beginning: Buffer): Promise<void>;
}

export interface BodyOptions {
  /** How long it is, if that was told and it comes as it is. */
  readonly told: number | null;
  /** Bytes. */
  readonly limit: number;
  readonly gate: Gate | null;
}

/**
 * Reads a body to its end. One that has told how long it is goes straight to where it stays: to put 20 MiB together from
 * pieces takes as long as to look through them, and holds them twice.
 *
 * @throws ProblemError 413 when it is larger than the limit, 400 when it is not as long as it has told.
 */
export function readBody(payload: RequestPayload, { told, limit, gate }: BodyOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (told !== null && told > limit) return fail(tooLarge());
    const body = told === null || gate ? new Pieces() : new Whole(told);
    let received = 0;
    let isGateShut = gate !== null;
    payload.on("data", take).once("end", end).once("error", cutOff);
    payload.resume();

    function take(chunk: Buffer): void {
      received += chunk.length;
      if (received > limit) return fail(tooLarge());
      if (told !== null && received > told) return fail(wrongLength());
      body.add(chunk);
      if (isGateShut && gate && received > gate.at) {
        isGateShut = false;
        payload.pause();
        gate.pass(body.content()).then(() => payload.resume(), fail);
      }
    }

    function cutOff(error: Error): void {
      fail(error instanceof ProblemError ? error : wrongLength());
    }

    function end(): void {
      if (told !== null && received !== told) return fail(wrongLength());
      resolve(body.content());
    }

    /** What is left is taken off the wire, so that a client that is still sending gets to see the answer. */
    function fail(error: Error): void {
      payload
        .off("data", take)
        .off("end", end)
        .off("error", cutOff)
        .on("error", () => {});
      payload.resume();
      reject(error);
    }
  });
}

class Whole {
  readonly #body: Buffer;
  #size = 0;

  constructor(size: number) {
    this.#body = Buffer.allocUnsafe(size);
  }

  add(chunk: Buffer): void {
    this.#size += chunk.copy(this.#body, this.#size);
  }

  content(): Buffer {
    return this.#body;
  }
}

class Pieces {
  readonly #pieces: Buffer[] = [];

  add(chunk: Buffer): void {
    this.#pieces.push(chunk);
  }

  content(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

function tooLarge(): ProblemError {
  return new ProblemError({ code: "BODY_TOO_LARGE", detail: "The body is too large." });
}

function wrongLength(): ProblemError {
  const detail = "The body was cut off, or is not as long as content-length says. Send it again.";
  return new ProblemError({ code: "BAD_REQUEST", detail });
}
