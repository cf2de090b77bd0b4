/** JSON that was encoded piece by piece, for bodies that must not be held in memory twice. */
export interface EncodedBody {
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  /** The total length of all chunks, in bytes. */
  readonly byteLength: number;
}

/** Returns the options with which `fetch` sends a body. Each call creates a new stream, so that a body can be sent again. */
export function bodyInit(body: string | EncodedBody): Pick<RequestInit, "body" | "duplex"> {
  // A stream, because fetch copies every buffer that it is given.
  return typeof body === "string" ? { body } : { body: ReadableStream.from(body.chunks), duplex: "half" };
}

/** Without a length, a stream would be sent in chunks, and proxies and servers could not limit its size in advance. */
export function lengthHeader(body: string | EncodedBody): Record<string, string> {
  return typeof body === "string" ? {} : { "content-length": String(body.byteLength) };
}
