import { ReportRefused } from "./fault.ts";

/** The bytes of a document as text, piece by piece. What is in no encoding that we read is refused. */
export interface TextReader {
  readonly read: (bytes: Uint8Array) => string;
  readonly end: () => string;
}

type Decoder = InstanceType<typeof TextDecoder>;

/** By the name in the XML declaration. ASCII is UTF-8, and the other two are what old tools on Windows write. */
const decoders: Readonly<Record<string, string>> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  ascii: "utf-8",
  "iso-8859-1": "windows-1252",
  "windows-1252": "windows-1252",
};

/** Bytes that hold any XML declaration. */
const longestDeclaration = 256;

export function createTextReader(): TextReader {
  let decoder: Decoder | null = null;
  let head: Uint8Array = new Uint8Array();

  function decode(bytes: Uint8Array, isLast: boolean): string {
    if (!decoder) {
      head = joined(head, bytes);
      if (head.length < longestDeclaration && !isLast) return "";
      decoder = decoderFor(head);
      return checked(decoder, head, isLast);
    }
    return checked(decoder, bytes, isLast);
  }

  return { read: (bytes) => decode(bytes, false), end: () => decode(new Uint8Array(), true) };
}

function checked(decoder: Decoder, bytes: Uint8Array, isLast: boolean): string {
  const text = decodeOrNull(() => decoder.decode(bytes, { stream: true }));
  if (text === null)
    throw new ReportRefused(
      "ENCODING_NOT_SUPPORTED",
      `the report is not in the encoding ${decoder.encoding} that it says it is in`,
    );
  if (text.includes("\0"))
    throw new ReportRefused(
      "NUL_CHARACTER",
      "the report holds a NUL character: write it as UTF-8, without NUL",
    );
  if (isLast && decodeOrNull(() => decoder.decode()) === null)
    throw new ReportRefused(
      "TRUNCATED",
      "the report ends within a character: it was cut off while it was written or uploaded",
    );
  return text;
}

/** Null = not in that encoding: an exception is a decoder's only way to say so. */
function decodeOrNull(decode: () => string): string | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

function decoderFor(head: Uint8Array): Decoder {
  const [first, second] = head;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const declared = isWide ? "utf-16" : declaredEncoding(head);
  const label = decoders[declared];
  if (label) return new TextDecoder(label, { fatal: true });
  throw new ReportRefused(
    "ENCODING_NOT_SUPPORTED",
    `the report is in the encoding ${declared.slice(0, 40)}: write it as UTF-8`,
  );
}

function declaredEncoding(head: Uint8Array): string {
  const text = String.fromCharCode(...head.subarray(0, longestDeclaration));
  const declared = /^(?:\xEF\xBB\xBF)?<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(text)?.[1];
  return (declared ?? "utf-8").toLowerCase();
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
