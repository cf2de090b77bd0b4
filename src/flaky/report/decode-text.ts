import { ReportRefused } from "./fault.ts";

/** Decodes the bytes of a document to text, piece by piece. Refuses encodings that are not supported. */
export interface TextReader {
  readonly read: (bytes: Uint8Array) => string;
  readonly end: () => string;
}

type Decoder = InstanceType<typeof TextDecoder>;

/** By the name in the XML declaration. ASCII is a subset of UTF-8; old tools on Windows write the last two. */
const decoders: Readonly<Record<string, string>> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  ascii: "utf-8",
  "iso-8859-1": "windows-1252",
  "windows-1252": "windows-1252",
};

/** A number of bytes that holds any XML declaration. */
const longestDeclaration = 256;
const nothing: Uint8Array = new Uint8Array();

export function createTextReader(): TextReader {
  let decoder: Decoder | null = null;
  /** Bytes that are not decoded yet: the beginning of the document, and later the bytes of an incomplete character. */
  let rest = nothing;

  function read(bytes: Uint8Array): string {
    const all = rest.length === 0 ? bytes : joined(rest, bytes);
    rest = nothing;
    if (decoder) return decode(decoder, all);
    if (all.length >= longestDeclaration) return begin(all);
    rest = all;
    return "";
  }

  function begin(head: Uint8Array): string {
    decoder = decoderFor(head);
    return decode(decoder, head).replace(/^\uFEFF/, "");
  }

  /**
   * Decodes each piece on its own, except an incomplete character at its end. A streaming decoder takes several times as long, and creates
   * strings with two bytes per character.
   */
  function decode(by: Decoder, bytes: Uint8Array): string {
    const whole = by.encoding === "utf-8" ? bytes.subarray(0, wholeCharacters(bytes)) : bytes;
    rest = bytes.slice(whole.length);
    return checked(by, whole);
  }

  function end(): string {
    const text = decoder ? "" : begin(rest);
    if (rest.length === 0) return text;
    throw new ReportRefused(
      "TRUNCATED",
      "the report ends within a character: it was cut off while it was written or uploaded",
    );
  }

  return { read, end };
}

function checked(decoder: Decoder, bytes: Uint8Array): string {
  const text = decodeOrNull(() => decoder.decode(bytes));
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
  return text;
}

/** Null = the bytes are not in that encoding, which decoders report only by an exception. */
function decodeOrNull(decode: () => string): string | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** The number of bytes that form complete characters of UTF-8. Invalid bytes count as complete. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return bytes.length - (lengthOfCharacter(byte) > back ? back : 0);
    if (byte < 0x80) break;
  }
  return bytes.length;
}

function lengthOfCharacter(lead: number): number {
  if (lead >= 0xf0) return lead < 0xf8 ? 4 : 1;
  return lead >= 0xe0 ? 3 : 2;
}

function decoderFor(head: Uint8Array): Decoder {
  const [first, second] = head;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const declared = isWide ? "utf-16" : declaredEncoding(head);
  const label = decoders[declared];
  // Without `ignoreBOM`, a byte order mark would be removed from the beginning of each piece.
  if (label) return new TextDecoder(label, { fatal: true, ignoreBOM: true });
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
