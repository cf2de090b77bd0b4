import { setImmediate } from "node:timers/promises";
import type { EndpointName } from "../endpoints.ts";
import { type PackedRequest, unpackRequest } from "./pack-request.ts";
import { structureFault } from "./parse-json.ts";
import type { ParsingThread } from "./parsing-thread.ts";
import { parseRequest, type ReadRequest, readRequest, readValue } from "./read-request.ts";

/** Up to this size, even the worst body takes only a few milliseconds to parse. */
const mostInPlace = 32 * 1024;
/** Up to this size, a body of a few long strings, such as a compressed report, is parsed as quickly. Starting the thread takes 0.4 s. */
const mostOfFewValues = { bytes: 2 * 1024 * 1024, memory: 256 * 1024 };

/** Reads the bodies of requests. Large ones are read in another thread, so that they delay only their own sender. */
export class RequestReader {
  readonly #thread: ParsingThread;

  constructor(thread: ParsingThread) {
    this.#thread = thread;
  }

  /** Takes over the body, which must not be used afterwards. @throws ProblemError 400 */
  async read(name: EndpointName, body: Uint8Array<ArrayBuffer>): Promise<ReadRequest> {
    if (body.length <= mostInPlace) return readRequest(name, Buffer.from(body.buffer));
    if (hasFewValues(body)) return readFewValues(name, body);
    const job: ReadRequestJob = { kind: "request", name, body };
    return unpackRequest(await this.#thread.run<PackedRequest>(job, [body.buffer]));
  }
}

function hasFewValues(body: Uint8Array): boolean {
  const { bytes, memory } = mostOfFewValues;
  return body.length <= bytes && structureFault(body, memory) === null;
}

async function readFewValues(name: EndpointName, body: Uint8Array<ArrayBuffer>): Promise<ReadRequest> {
  await wholeTurn();
  const value = parseRequest(name, Buffer.from(body.buffer));
  // Frees the memory now. Garbage collection may come much later.
  body.buffer.transfer(0);
  await wholeTurn();
  return readValue(name, value);
}

/**
 * Lets other requests run between two steps that take up to 20 ms each. One `setImmediate` is not enough: after a body has arrived, it runs
 * in the same turn of the event loop.
 */
async function wholeTurn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

export interface ReadRequestJob {
  readonly kind: "request";
  readonly name: EndpointName;
  readonly body: Uint8Array<ArrayBuffer>;
}
