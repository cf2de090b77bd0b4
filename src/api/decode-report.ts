import { setImmediate } from "node:timers/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { ReportUndecodable, type SentReport } from "../service/flaky/read-reports.ts";

/** How the text of a report is put into JSON: as it is, or compressed and in base64. */
export const reportEncodings = ["text", "gzip", "zstd"] as const;

/** A report as it came in JSON. */
export interface WrittenReport {
  readonly path: string;
  readonly encoding: (typeof reportEncodings)[number];
  readonly content: string;
}

/** A report as bytes, which another thread receives without copying them. */
export interface EncodedReport extends Omit<WrittenReport, "content"> {
  /** Null: they were to be base64, and are not. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

const decoders = { gzip: createGunzip, zstd: createZstdDecompress };
const pieceBytes = 64 * 1024;
/** What tests print repeats itself; what is made to be a bomb does so more. */
const mostRatio = 200;
/** A small report may well be of one line many times. */
const unsuspectedBytes = 1024 * 1024;

export function encodeReport({ path, encoding, content }: WrittenReport): EncodedReport {
  return { path, encoding, bytes: encoding === "text" ? encoder.encode(content) : base64Bytes(content) };
}

/** A report as it was before it was put into JSON, piece by piece. Others get their turn between the pieces. */
export function decodeReport({ path, encoding, bytes }: EncodedReport): SentReport {
  return { path, pieces: encoding === "text" ? piecesOf(bytes ?? nothing) : inflated(bytes, encoding) };
}

const encoder = new TextEncoder();
const nothing = new Uint8Array();

function base64Bytes(content: string): Uint8Array<ArrayBuffer> | null {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(content) ? new Uint8Array(Buffer.from(content, "base64")) : null;
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await setImmediate();
    yield bytes.subarray(at, at + pieceBytes);
  }
}

async function* inflated(
  bytes: Uint8Array | null,
  encoding: keyof typeof decoders,
): AsyncGenerator<Uint8Array> {
  if (bytes === null) throw undecodable("it is no base64: encode its compressed bytes so");
  const decoder = decoders[encoding]({ chunkSize: pieceBytes });
  const most = Math.max(unsuspectedBytes, bytes.length * mostRatio);
  let size = 0;
  decoder.end(bytes);
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > most)
        throw new ReportUndecodable({
          code: "REPORT_TOO_LARGE",
          message: `it becomes more than ${mostRatio} times as large: no report does`,
        });
      yield piece;
    }
  } catch (error) {
    if (error instanceof ReportUndecodable) throw error;
    throw undecodable(`it is not valid ${encoding}, or was cut off: send it again`);
  } finally {
    decoder.destroy();
  }
}

function undecodable(message: string): ReportUndecodable {
  return new ReportUndecodable({ code: "NOT_DECODABLE", message });
}
