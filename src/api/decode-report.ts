import { setImmediate } from "node:timers/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { ReportUndecodable, type SentReport } from "../service/flaky/read-reports.ts";

/** How the text of a report is put into JSON: as it is, or compressed and in base64. */
export const reportEncodings = ["text", "gzip", "zstd"] as const;

export interface EncodedReport {
  readonly path: string;
  readonly encoding: (typeof reportEncodings)[number];
  readonly content: string;
}

const decoders = { gzip: createGunzip, zstd: createZstdDecompress };
const pieceBytes = 64 * 1024;
/** What tests print repeats itself; what is made to be a bomb does so more. */
const mostRatio = 200;
/** A small report may well be of one line many times. */
const unsuspectedBytes = 1024 * 1024;

/** A report as it was before it was put into JSON, piece by piece. Others get their turn between the pieces. */
export function decodeReport({ path, encoding, content }: EncodedReport): SentReport {
  return { path, pieces: encoding === "text" ? piecesOf(content) : inflated(content, encoding) };
}

async function* piecesOf(content: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await setImmediate();
    yield bytes.subarray(at, at + pieceBytes);
  }
}

async function* inflated(content: string, encoding: keyof typeof decoders): AsyncGenerator<Uint8Array> {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(content))
    throw undecodable("it is no base64: encode its compressed bytes so");
  const bytes = Buffer.from(content, "base64");
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
