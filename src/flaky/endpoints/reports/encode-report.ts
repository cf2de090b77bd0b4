import type { EncodedReport } from "./decode-report.ts";

/** A report as it is written in JSON. */
export interface WrittenReport extends Pick<EncodedReport, "path" | "encoding"> {
  readonly content: string;
}

/** Converts the content to bytes, which another thread receives without copying them. */
export function encodeReport({ path, encoding, content }: WrittenReport): EncodedReport {
  return { path, encoding, bytes: encoding === "text" ? encoder.encode(content) : base64Bytes(content) };
}

const encoder = new TextEncoder();

/** Returns null when the text is not base64. Node skips invalid characters, so the result would be shorter. */
function base64Bytes(content: string): Uint8Array<ArrayBuffer> | null {
  const padding = content.endsWith("==") ? 2 : content.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array(Buffer.from(content, "base64"));
  const isWhole = bytes.length === Math.floor(((content.length - padding) * 3) / 4);
  // Node also reads the URL-safe alphabet, which is not accepted here.
  return isWhole && !content.includes("-") && !content.includes("_") ? bytes : null;
}
