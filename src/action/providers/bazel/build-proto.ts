/**
 * The part of Bazel's `build.proto` (`src/main/protobuf/build.proto` in Bazel) that is needed to compare targets. It is read from
 * the output of `bazel query --output=proto`: a `QueryResult`, which is a sequence of `Target`s.
 */

export interface BazelTarget {
  readonly kind: "rule" | "source" | "generated" | "other";
  readonly label: string;
  /** The class of a rule, such as `cc_test`; empty for other kinds. */
  readonly ruleClass: string;
  /** Labels of the Starlark files that a BUILD file loads, directly or through others. */
  readonly loads: readonly string[];
  /** Labels of the rules, source files and generated files that it is built from. */
  readonly inputs: readonly string[];
  /** All that Bazel says about the target, except the content of its inputs. */
  readonly bytes: Uint8Array;
}

/** Kinds by the field of `Target` that holds them. */
const kinds = new Map<number, BazelTarget["kind"]>([
  [2, "rule"],
  [3, "source"],
  [4, "generated"],
  [5, "other"],
  [6, "other"],
]);
/** The field of `Rule` that holds its inputs, and the field of `GeneratedFile` that holds its rule. */
const inputField: Partial<Record<BazelTarget["kind"], number>> = { rule: 5, generated: 2 };
const nameField = 1;
/** In `Rule`. */
const ruleClassField = 2;
/** In `SourceFile`. */
const subincludeField = 3;
const resultField = 1;

/** Splits Bazel's output into targets, as it arrives. @throws RangeError when the output has another format. */
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

/** Reads the fields of a message in the wire format: https://protobuf.dev/programming-guides/encoding/ */
class ProtoReader {
  readonly #bytes: Buffer;
  /** The end of the last whole field. */
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The next field; null when no whole one is left. A varint field has no bytes. */
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
        throw new RangeError("bazel query printed something other than targets");
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
