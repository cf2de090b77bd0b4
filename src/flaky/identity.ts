/** The parts of a test's name within its repository, as its report states them; null = the report does not state this part. */
export interface TestName {
  readonly file: string | null;
  readonly classname: string | null;
  /** The nearest suite that has a name. */
  readonly parent: string | null;
  readonly name: string;
}

/** The repository of a test, and the variant in which it ran. */
export interface TestScope {
  readonly organization: string;
  /** `host/owner/name`. */
  readonly repository: string;
  /** Separates runs of one test that are not comparable, such as on different operating systems; "" = no variant. */
  readonly variant: string;
}

/** The maximum number of characters of a variant. */
export const longestVariant = 64;

/**
 * The id of a test. It equals the id that Trunk's uploader computes, so that users who move from Trunk keep their ids. Without
 * `given`, a variant is hashed twice: with the names, and again with the resulting id.
 *
 * `given` is an id from the report: a UUID of version 5 is kept (with a variant, a new id is computed from it), an id that begins
 * with `trunk:` replaces the names, and any other is ignored.
 * Source: trunk-io/analytics-cli, `context/src/meta/id.rs` (our tests include the vectors of its tests).
 */
export function testIdOf(
  test: TestName,
  scope: TestScope,
  digest: Digest,
  given: string | null = null,
): string {
  const { organization, repository, variant } = scope;
  if (given?.startsWith("trunk:")) return idOf([organization, repository, given], 1, variant, digest);
  if (given && isUuidOfName(given)) return variant === "" ? given : idOf([given], 1, variant, digest);
  const { file, classname, parent, name } = test;
  const parts = [organization, repository, file ?? "", classname ?? "", parent ?? "", name, "JUNIT_TESTCASE"];
  const id = idOf(parts, 2, variant, digest);
  return variant === "" || given !== null ? id : idOf([id], 1, variant, digest);
}

/** @param varying see {@link uuidOf}. */
function idOf(parts: readonly string[], varying: number, variant: string, digest: Digest): string {
  return variant === "" ? uuidOf(parts, varying, digest) : uuidOf([...parts, variant], varying + 1, digest);
}

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

/**
 * A hash of bytes, in lower-case hex, such as Node's `crypto.hash`. It is passed in because it is ten times as fast as any hash
 * that this layer could import.
 */
export type Digest = (algorithm: "sha1" | "sha256", bytes: Uint8Array) => string;
