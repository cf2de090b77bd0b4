import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { createGunzip, createZstdDecompress, zstdCompress, zstdDecompress } from "node:zlib";
import { ReportUndecodable, type SentReport } from "../service/uploads/read-reports.ts";
import type { KeptReport } from "../store/uploads/late-result-store.ts";

/** How JSON holds the text of a report: as it is, or compressed and in base64. */
export const reportEncodings = ["text", "gzip", "zstd"] as const;

/** A report as it was sent. */
export interface EncodedReport {
  readonly path: string;
  readonly encoding: (typeof reportEncodings)[number];
  /** Null when the content should have been base64 but was not. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

const decoders = { gzip: createGunzip, zstd: createZstdDecompress };
const pieceBytes = 64 * 1024;
/** Maximum ratio of decompressed to compressed size. Test output is repetitive, but less than a decompression bomb. */
const mostRatio = 200;
/** Up to this size the ratio is not limited: a small report may repeat one line many times. */
const unsuspectedBytes = 1024 * 1024;

/** Decodes a report piece by piece. Other requests are served between the pieces. */
export function decodeReport(sent: EncodedReport): SentReport {
  const { path, encoding, bytes } = sent;
  const pieces = encoding === "text" ? piecesOf(bytes ?? nothing) : inflated(bytes, encoding);
  return { path, pieces, keep: () => keepReport(sent) };
}

const nothing = new Uint8Array();
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Keeps a report as it was sent. One that was sent as text is compressed. */
async function keepReport({ encoding, bytes }: EncodedReport): Promise<KeptReport> {
  const content = bytes ?? nothing;
  return encoding === "text" ? { encoding, content: await compress(content) } : { encoding, content };
}

/** @throws Error if the kept bytes cannot be decompressed. */
export async function readKeptReport({ encoding, content }: KeptReport): Promise<SentReport> {
  const bytes = encoding === "text" ? await decompress(content) : content;
  return decodeReport({ path: "", encoding, bytes: new Uint8Array(bytes) });
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
