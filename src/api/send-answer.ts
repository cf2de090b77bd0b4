import { type PipelineSource, pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { createGzip, createZstdCompress, gzip, constants as zlib, zstdCompress } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Longer lists are written in pieces. */
const longestAtOnce = 500;
/** Items per piece. Other requests are served between two pieces. */
const itemsAtOnce = 100;

/** Writes an answer that holds a long list as JSON in pieces; returns any other answer as it is. */
export function writeAnswer(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  if (!Object.values(answer).some(isLong)) return answer;
  return Readable.from(piecesOf(answer), { objectMode: false });
}

async function* piecesOf(answer: object): AsyncGenerator<string> {
  let before = "{";
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ",";
    if (isLong(value)) yield* piecesOfList(value);
    else yield JSON.stringify(value);
  }
  yield "}";
}

async function* piecesOfList(items: readonly unknown[]): AsyncGenerator<string> {
  let before = "[";
  for (let at = 0; at < items.length; at += itemsAtOnce) {
    yield before + JSON.stringify(items.slice(at, at + itemsAtOnce)).slice(1, -1);
    before = ",";
    await setImmediate();
  }
  yield "]";
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > longestAtOnce;
}

/** Smaller answers are not compressed, because that takes longer than sending them. */
const leastBytes = 4 * 1024;
const [gzipAsync, zstdAsync] = [promisify(gzip), promisify(zstdCompress)];

/** The supported encodings, best first. Both compress outside the event loop. Each piece of a stream is sent at once. */
const encodings = {
  zstd: {
    compress: (text: string | Buffer) => zstdAsync(text),
    stream: () => createZstdCompress({ flush: zlib.ZSTD_e_flush }),
  },
  gzip: {
    compress: (text: string | Buffer) => gzipAsync(text, { level: zlib.Z_BEST_SPEED }),
    stream: () => createGzip({ level: zlib.Z_BEST_SPEED, flush: zlib.Z_SYNC_FLUSH }),
  },
} as const;

type Encoding = keyof typeof encodings;

/** An `onSend` hook that compresses answers for clients that accept it. */
export async function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (!isCompressible(payload) || reply.hasHeader("content-encoding")) return payload;
  addVary(reply, "accept-encoding");
  const encoding = encodingFor(request.headers["accept-encoding"]);
  if (encoding === null) return payload;
  reply.removeHeader("content-length");
  reply.header("content-encoding", encoding);
  const { compress, stream } = encodings[encoding];
  if (!(payload instanceof Readable)) return compress(payload);
  // A failure ends the answer, as it would without compression.
  return pipeline(payload as PipelineSource<unknown>, stream(), () => {});
}

function isCompressible(payload: unknown): payload is string | Buffer | Readable {
  if (payload instanceof Readable) return true;
  if (typeof payload === "string") return Buffer.byteLength(payload) >= leastBytes;
  return Buffer.isBuffer(payload) && payload.length >= leastBytes;
}

/** Returns the best encoding that a client accepts, or null for none. Source: RFC 9110, section 12.5.3. */
export function encodingFor(accepted: string | undefined): Encoding | null {
  const weights = new Map(
    (accepted ?? "").split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight)] as const;
    }),
  );
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get("*") ?? 0;
  const offered = (Object.keys(encodings) as Encoding[]).filter((name) => weightOf(name) > 0);
  return offered.toSorted((a, b) => weightOf(b) - weightOf(a))[0] ?? null;
}

/** Adds a header of the request to `vary`: the answer depends on it. */
export function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader("vary");
  reply.header("vary", vary === undefined ? name : `${vary}, ${name}`);
}
