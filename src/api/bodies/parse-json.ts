import { isUtf8 } from "node:buffer";
import type * as z from "zod";
import { describeIssue } from "../../command/describe-issue.ts";
import { fieldErrors } from "../problems/field-errors.ts";
import { type FieldError, type Problem, ProblemError } from "../problems/problem.ts";

/** @throws ProblemError 400 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw malformed("The body is empty. Send a JSON object.");
  const fault = structureFault(body);
  if (fault) throw new ProblemError(tooComplex[fault]);
  // In two steps, because for a large body a TextDecoder takes longer than both of them.
  if (!isUtf8(body)) throw malformed("The body is not text in UTF-8. Send a JSON object.");
  const text = body.toString("utf8", hasMark(body) ? 3 : 0);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not valid JSON${placeOf(error, text)}. Send a JSON object.`);
  }
}

const tooComplex = {
  TOO_DEEP: {
    code: "BODY_TOO_COMPLEX",
    detail:
      "The body nests lists and objects more than 64 levels deep. No endpoint takes that; send what is described.",
  },
  TOO_MANY_VALUES: {
    code: "BODY_TOO_COMPLEX",
    detail: "The body holds too many lists, objects, fields or values. Send fewer at once.",
  },
} as const satisfies Record<string, Problem>;

/** Whether the body begins with a byte order mark, which has no meaning in UTF-8. */
function hasMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

/**
 * Describes where V8 stopped reading, if its message says so. The message itself is not passed on, because it quotes the
 * body.
 */
function placeOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : "";
  const [, position, line, column] = /at position (\d+) \(line (\d+) column (\d+)\)/.exec(message) ?? [];
  if (message.startsWith("Unexpected end") || message.startsWith("Unterminated"))
    return ": it ends too early";
  if (position === undefined) return "";
  if (Number(position) >= text.trimEnd().length) return ": it ends too early";
  return `, from line ${line}, column ${column}`;
}

function malformed(detail: string): ProblemError {
  return new ProblemError({ code: "MALFORMED_JSON", detail });
}

/** Maximum nesting depth. Our deepest body has five levels. */
const deepest = 64;
/** Maximum memory, in bytes, that `JSON.parse` may need in another thread. */
const largestInThread = 48 * 1024 * 1024;
/** Upper bounds of the memory, in bytes, for an object with a new shape, a field with a new name, and a value. */
const cost = { container: 64, field: 64, value: 24 } as const;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const [openList, closeList] = [0x5b, 0x5d];
const [openObject, closeObject] = [0x7b, 0x7d];

/**
 * Returns why JSON must not be parsed, by its commas, colons and brackets; null when it may be parsed. `JSON.parse` can take
 * a hundred times the size of a body that consists of brackets only. Does not check that it is valid JSON.
 *
 * @param largest maximum memory for parsing, in bytes. Each MiB also takes up to 10 ms.
 */
export function structureFault(
  json: Uint8Array,
  largest = largestInThread,
): "TOO_DEEP" | "TOO_MANY_VALUES" | null {
  let depth = 0;
  let bytes = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at + 1);
        break;
      case comma:
        bytes += cost.value;
        break;
      case colon:
        bytes += cost.field;
        break;
      case openList:
      case openObject:
        bytes += cost.container;
        depth += 1;
        break;
      case closeList:
      case closeObject:
        depth -= 1;
        break;
    }
    if (depth > deepest) return "TOO_DEEP";
    if (bytes > largest) return "TOO_MANY_VALUES";
  }
  return null;
}

/** The first bytes of a string are checked one by one. In a longer string, `indexOf` finds the end far faster. */
const fewBytes = 256;

function endOfString(json: Uint8Array, from: number): number {
  for (let start = from; ; ) {
    const few = Math.min(json.length, start + fewBytes);
    let at = start;
    while (at < few && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
    if (at < few || at >= json.length) return at;
    at = json.indexOf(quote, at);
    if (at < 0) return json.length;
    if (!isEscaped(json, at, from)) return at;
    start = at + 1;
  }
}

/** A quotation mark after an odd number of backslashes is escaped. */
function isEscaped(json: Uint8Array, at: number, from: number): boolean {
  let before = at;
  while (before > from && json[before - 1] === backslash) before -= 1;
  return (at - before) % 2 === 1;
}

export type ParsedBody<Body> =
  | { readonly ok: true; readonly body: Body }
  | { readonly ok: false; readonly problem: Problem };

const errorsInDetail = 3;

/** Parses a body with its schema. Returns the result, or the faults of the body. Never throws. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): ParsedBody<z.output<Schema>> {
  const result = schema.safeParse(input, { error: describeIssue });
  if (result.success) return { ok: true, body: result.data };
  return { ok: false, problem: invalidBody(fieldErrors(result.error.issues, schema)) };
}

export function invalidBody(errors: readonly FieldError[]): Problem {
  const sentences = errors
    .slice(0, errorsInDetail)
    .map(({ path, message }) => `${path || "the body"} ${message}`);
  const more = errors.length > errorsInDetail ? "; and more, see errors" : "";
  const detail = `Correct the request: ${sentences.join("; ")}${more}`;
  return { code: "INVALID_BODY", detail: detail.endsWith("?") ? detail : `${detail}.`, errors };
}
