/** JSON that was encoded piece by piece, for bodies that are not to be held twice. */
export interface EncodedBody {
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  /** Of all chunks together. */
  readonly byteLength: number;
}

/** What `fetch` takes to send a body. A new stream on each call, so that a body can be sent again. */
export function bodyInit(body: string | EncodedBody): Pick<RequestInit, "body" | "duplex"> {
  // A stream, because fetch copies every buffer that it is given.
  return typeof body === "string" ? { body } : { body: ReadableStream.from(body.chunks), duplex: "half" };
}

/** Without a length, a stream would be sent in pieces of unknown number, which proxies and servers cannot bound. */
export function lengthHeader(body: string | EncodedBody): Record<string, string> {
  return typeof body === "string" ? {} : { "content-length": String(body.byteLength) };
}
