import { isUtf8 } from "node:buffer";
import { type Problem, ProblemError } from "../problems/problem.ts";
import { structureFault } from "./json-structure.ts";

/** @throws ProblemError 400 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw malformed("The body is empty. Send a JSON object.");
  const fault = structureFault(body);
  if (fault) throw new ProblemError(tooComplex[fault]);
  // In two steps: for a large body, a TextDecoder takes longer than both of them.
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

/** Whether the body begins with a byte order mark, which means nothing in UTF-8. */
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
