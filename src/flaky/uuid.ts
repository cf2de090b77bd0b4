import type { Digest } from "./digest.ts";

/** The namespace of URLs. Source: RFC 9562, section 6.6. */
const urlNamespace = Uint8Array.from([
  0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
]);

const encoder = new TextEncoder();
/** Used again for each name: to make a place for one takes longer than to put it there. */
const place = new Uint8Array(4096);
place.set(urlNamespace);
const nameInPlace = place.subarray(urlNamespace.length);
/** Bytes of a character at most, for each unit of UTF-16. */
const mostBytes = 3;

/** The UUID of version 5 of a name in the namespace of URLs, in lower case. Source: RFC 9562, section 5.5. */
export function uuidOf(name: string, digest: Digest): string {
  const hex = digest("sha1", bytesOf(name));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/** The namespace and the name. Good until it is called again. */
function bytesOf(name: string): Uint8Array {
  if (name.length * mostBytes <= nameInPlace.length)
    return place.subarray(0, urlNamespace.length + encoder.encodeInto(name, nameInPlace).written);
  const text = encoder.encode(name);
  const bytes = new Uint8Array(urlNamespace.length + text.length);
  bytes.set(urlNamespace);
  bytes.set(text, urlNamespace.length);
  return bytes;
}

export function isUuidOfName(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text);
}
