import { PassThrough, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { FastifyRequest, RequestPayload } from "fastify";
import { ProblemError } from "../problems/problem.ts";

const decoders = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  zstd: createZstdDecompress,
  identity: () => new PassThrough(),
};

const isSupported = (encoding: string): encoding is keyof typeof decoders =>
  Object.hasOwn(decoders, encoding);

/**
 * Returns the decompressed body, piece by piece, so that a body above the limit is never held.
 *
 * @throws ProblemError 415 when the encoding is unknown. The stream fails with 400 when it cannot be decoded, and with 413 as
 *   soon as it is larger than `limit` bytes.
 */
export function decodeBody(request: FastifyRequest, payload: RequestPayload, limit: number): RequestPayload {
  const encoding = (request.headers["content-encoding"] ?? "").trim().toLowerCase() || "identity";
  // Fastify itself enforces the route's limit.
  if (encoding === "identity" && limit >= request.routeOptions.bodyLimit) return payload;
  if (!isSupported(encoding)) {
    throw new ProblemError({
      code: "ENCODING_NOT_SUPPORTED",
      detail: `Bodies can be compressed with gzip or zstd. Send the JSON compressed so, or as it is, without content-encoding.`,
      headers: { "accept-encoding": "gzip, zstd" },
    });
  }
  const decoded: RequestPayload = Readable.from(
    decode(payload, encoding, limit, (received) => {
      decoded.receivedEncodedLength = received;
    }),
    { objectMode: false },
  );
  return decoded;
}

async function* decode(
  payload: RequestPayload,
  encoding: keyof typeof decoders,
  limit: number,
  tell: (received: number) => void,
): AsyncGenerator<Buffer> {
  const decoder = decoders[encoding]();
  let received = 0;
  payload.on("data", (chunk: Buffer) => {
    received += chunk.length;
    tell(received);
  });
  payload.once("error", (error) => decoder.destroy(error));
  let size = 0;
  try {
    for await (const chunk of payload.pipe(decoder) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit)
        throw new ProblemError({ code: "BODY_TOO_LARGE", detail: "The body is too large once decoded." });
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError({
      code: "MALFORMED_ENCODING",
      detail: `The body is not valid ${encoding}, or was cut off. Send it again, or without content-encoding.`,
    });
  } finally {
    // The rest is read and discarded, so that a client that is still sending receives the answer.
    payload.unpipe(decoder);
    payload.resume();
    decoder.destroy();
  }
}
