import type { EndpointName } from "./endpoints.ts";
import { type PackedRequest, unpackRequest } from "./pack-request.ts";
import type { ParsingThread } from "./parsing-thread.ts";
import { type ReadRequest, readRequest } from "./read-request.ts";

/** What is in the worst of bodies takes a few milliseconds to parse, up to here. */
const mostInPlace = 32 * 1024;

/** Reads the bodies of requests: large ones in another thread, so that nobody waits for them but who has sent them. */
export class RequestReader {
  readonly #thread: ParsingThread;

  constructor(thread: ParsingThread) {
    this.#thread = thread;
  }

  /** The body is empty afterwards. @throws ProblemError 400 */
  async read(name: EndpointName, body: Uint8Array<ArrayBuffer>): Promise<ReadRequest> {
    if (body.length <= mostInPlace) return readRequest(name, Buffer.from(body.buffer));
    const job: ReadRequestJob = { kind: "request", name, body };
    return unpackRequest(await this.#thread.run<PackedRequest>(job, [body.buffer]));
  }
}

export interface ReadRequestJob {
  readonly kind: "request";
  readonly name: EndpointName;
  readonly body: Uint8Array<ArrayBuffer>;
}
