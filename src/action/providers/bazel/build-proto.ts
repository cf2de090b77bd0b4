/**
 * The part of Bazel's `build.proto` (`src/main/protobuf/build.proto` in Bazel) that tells targets apart, read from what
 * `bazel query --output=proto` prints: a `QueryResult`, which is `Target`s one after the other.
 */

export interface BazelTarget {
  readonly kind: "rule" | "source" | "generated" | "other";
  readonly label: string;
  /** What a rule is an instance of, such as `cc_test`; else empty. */
  readonly ruleClass: string;
  /** Labels of Starlark files that a BUILD file loads, be it through others. */
  readonly loads: readonly string[];
  /** Labels of rules, sources and generated files that it is made from. */
  readonly inputs: readonly string[];
  /** All that Bazel says about it, its inputs' content apart. */
  readonly bytes: Uint8Array;
}

/** Kinds by the number of the field of `Target` that holds it. */
const kinds = new Map<number, BazelTarget["kind"]>([
  [2, "rule"],
  [3, "source"],
  [4, "generated"],
  [5, "other"],
  [6, "other"],
]);
/** The field of `Rule` with its inputs, and that of `GeneratedFile` with its rule. */
const inputField: Partial<Record<BazelTarget["kind"], number>> = { rule: 5, generated: 2 };
const nameField = 1;
/** Of `Rule`. */
const ruleClassField = 2;
/** Of `SourceFile`. */
const subincludeField = 3;
const resultField = 1;

/** Splits what Bazel prints into targets, as it comes. @throws RangeError when it is not that. */
export async function* readTargets(stream: AsyncIterable<Buffer>): AsyncGenerator<BazelTarget> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const reader = new ProtoReader(rest);
    for (let field = reader.next(); field !== null; field = reader.next()) {
      if (field.number === resultField) yield readTarget(field.bytes);
    }
    rest = rest.subarray(reader.position);
  }
  if (rest.length > 0) throw new RangeError("bazel query ended in the middle of a target");
}

function readTarget(bytes: Buffer): BazelTarget {
  for (const { number, bytes: content } of fieldsOf(bytes)) {
    const kind = kinds.get(number);
    if (kind === undefined) continue;
    let label = "";
    let ruleClass = "";
    const loads: string[] = [];
    const inputs: string[] = [];
    for (const field of fieldsOf(content)) {
      if (field.number === nameField) label = field.bytes.toString();
      if (kind === "rule" && field.number === ruleClassField) ruleClass = field.bytes.toString();
      if (kind === "source" && field.number === subincludeField) loads.push(field.bytes.toString());
      if (field.number === inputField[kind]) inputs.push(field.bytes.toString());
    }
    return { kind, label, ruleClass, loads, inputs, bytes: content };
  }
  throw new RangeError("bazel query printed a target of an unknown kind");
}

function* fieldsOf(bytes: Buffer): Generator<{ number: number; bytes: Buffer }> {
  const reader = new ProtoReader(bytes);
  for (let field = reader.next(); field !== null; field = reader.next()) yield field;
}

/** Fields of a message on the wire: https://protobuf.dev/programming-guides/encoding/ */
class ProtoReader {
  readonly #bytes: Buffer;
  /** Behind the last whole field. */
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The next field; null when there is no whole one left. That of a number has no bytes. */
  next(): { number: number; bytes: Buffer } | null {
    const tag = this.#varint(this.position);
    if (tag === null) return null;
    const number = Math.floor(tag.value / 8);
    const content = this.#content(tag.value % 8, tag.end);
    if (content === null || content.end > this.#bytes.length) return null;
    this.position = content.end;
    return { number, bytes: this.#bytes.subarray(content.start, content.end) };
  }

  #content(wireType: number, at: number): { start: number; end: number } | null {
    switch (wireType) {
      case 0: {
        const number = this.#varint(at);
        return number && { start: number.end, end: number.end };
      }
      case 1:
        return { start: at, end: at + 8 };
      case 2: {
        const length = this.#varint(at);
        return length && { start: length.end, end: length.end + length.value };
      }
      case 5:
        return { start: at, end: at + 4 };
      default:
        throw new RangeError("bazel query printed something else than targets");
    }
  }

  #varint(at: number): { value: number; end: number } | null {
    let value = 0;
    for (let index = 0; index < 10; index++) {
      const byte = this.#bytes[at + index];
      if (byte === undefined) return null;
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return { value, end: at + index + 1 };
    }
    throw new RangeError("bazel query printed a number that is too long");
  }
}
