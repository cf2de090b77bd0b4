import type { EncodedReport } from "./decode-report.ts";

/** A report as it came in JSON. */
export interface WrittenReport extends Pick<EncodedReport, "path" | "encoding"> {
  readonly content: string;
}

/** As bytes, which another thread receives without copying them. */
export function encodeReport({ path, encoding, content }: WrittenReport): EncodedReport {
  return { path, encoding, bytes: encoding === "text" ? encoder.encode(content) : base64Bytes(content) };
}

const encoder = new TextEncoder();

function base64Bytes(content: string): Uint8Array<ArrayBuffer> | null {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(content) ? new Uint8Array(Buffer.from(content, "base64")) : null;
}
