import type { Digest } from "./digest.ts";

/** The namespace of URLs. Source: RFC 9562, section 6.6. */
const urlNamespace = Uint8Array.from([
  0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
]);

const encoder = new TextEncoder();
/** Reused for each name: allocating a buffer takes longer than filling it. */
const place = new Uint8Array(4096);
place.set(urlNamespace);
/** The maximum number of bytes for each unit of UTF-16. */
const mostBytes = 3;
const dash = "-".charCodeAt(0);

/** The first parts of a name that `place` holds, each followed by a separator. Tests of a suite differ only in the last parts. */
let placed: readonly string[] = [];
let afterPlaced: Uint8Array = place.subarray(urlNamespace.length);

/**
 * The UUID of version 5 of a name, in the namespace of URLs and in lower case. Source: RFC 9562, section 5.5.
 *
 * @param parts the parts of the name, which are joined with `#`.
 * @param varying how many of the last parts are likely to differ from those of the previous name.
 */
export function uuidOf(parts: readonly string[], varying: number, digest: Digest): string {
  return written(digest("sha1", bytesOf(parts, varying)));
}

/**
 * The characters of a UUID. They become one string at once: a concatenation of parts of the hash would take several times as much
 * memory.
 */
const characters = new Array<number>(36).fill(dash);
const dashesBefore = [8, 12, 16, 20];

function written(hex: string): string {
  for (let at = 0, to = 0; at < 32; at++, to++) {
    if (dashesBefore.includes(at)) to += 1;
    characters[to] = hex.charCodeAt(at);
  }
  characters[14] = "5".charCodeAt(0);
  const variant = (Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8;
  characters[19] = variant.toString(16).charCodeAt(0);
  return String.fromCharCode(...characters);
}

/** The bytes of the namespace and the name. They are valid until the next call. */
function bytesOf(parts: readonly string[], varying: number): Uint8Array {
  const first = Math.max(0, parts.length - varying);
  if (!isPlaced(parts, first) && !putInPlace(parts.slice(0, first))) return bytesOfAny(parts.join("#"));
  const rest = parts.slice(first).join("#");
  if (rest.length * mostBytes > afterPlaced.length) return bytesOfAny(parts.join("#"));
  return place.subarray(0, afterPlaced.byteOffset + encoder.encodeInto(rest, afterPlaced).written);
}

function isPlaced(parts: readonly string[], count: number): boolean {
  if (placed.length !== count) return false;
  for (let at = 0; at < count; at++) if (parts[at] !== placed[at]) return false;
  return true;
}

/** Returns false if the parts are too long. */
function putInPlace(parts: readonly string[]): boolean {
  const text = parts.map((part) => `${part}#`).join("");
  if (text.length * mostBytes > place.length - urlNamespace.length) return false;
  const { written: length } = encoder.encodeInto(text, place.subarray(urlNamespace.length));
  placed = parts;
  afterPlaced = place.subarray(urlNamespace.length + length);
  return true;
}

function bytesOfAny(name: string): Uint8Array {
  const text = encoder.encode(name);
  const bytes = new Uint8Array(urlNamespace.length + text.length);
  bytes.set(urlNamespace);
  bytes.set(text, urlNamespace.length);
  return bytes;
}

export function isUuidOfName(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text);
}
