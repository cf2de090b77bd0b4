import { PassThrough, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { FastifyInstance, FastifyRequest, RequestPayload } from "fastify";
import { ProblemError } from "../problems/problem.ts";
import { type BodyOptions, type HeldBody, readBody } from "./read-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The memory that is reserved for the body. */
    bodyRoom: HeldBody["room"] | null;
  }
}

export interface JsonBodies {
  /** Maximum size of a body, in bytes. */
  readonly limit: number;
  /** Returns the budget for a body and further options for reading it. */
  readonly optionsOf: (request: FastifyRequest) => Omit<BodyOptions, "announced" | "limit">;
  /** Parses the bytes of a body. */
  readonly read: (request: FastifyRequest, body: Uint8Array<ArrayBuffer>) => unknown;
}

/** Accepts JSON bodies, and no others, in the scope of a plugin. The request's handler releases the room of the body. */
export function acceptJson(app: FastifyInstance, { limit, optionsOf, read }: JsonBodies): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest("bodyRoom", null);
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: RequestPayload) => {
    const options = { ...optionsOf(request), announced: announcedLength(request), limit };
    const { bytes, room } = await readBody(payload, options);
    try {
      const body = await read(request, bytes);
      request.bodyRoom = room;
      return body;
    } catch (error) {
      room.release();
      throw error;
    }
  });
}

/**
 * Returns the announced length of a body. It is unknown (null) for a compressed body: its content-length is not that of the
 * JSON.
 */
export function announcedLength({ headers }: FastifyRequest): number | null {
  const length = headers["content-length"];
  return length === undefined || headers["content-encoding"] ? null : Number(length);
}

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
  onReceived: (received: number) => void,
): AsyncGenerator<Buffer> {
  const decoder = decoders[encoding]();
  let received = 0;
  payload.on("data", (chunk: Buffer) => {
    received += chunk.length;
    onReceived(received);
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
