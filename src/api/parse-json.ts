import { isUtf8 } from "node:buffer";
import { structureFault } from "./json-structure.ts";
import { type Problem, ProblemError } from "./problem.ts";

/** @throws ProblemError 400 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw malformed("The body is empty. Send a JSON object.");
  const fault = structureFault(body);
  if (fault) throw new ProblemError(tooComplex[fault]);
  // In two steps, since a TextDecoder takes longer for a large body than for both.
  if (!isUtf8(body)) throw notJson();
  try {
    return JSON.parse(body.toString("utf8", hasMark(body) ? 3 : 0));
  } catch {
    throw notJson();
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

/** Whether a byte order mark, which means nothing in UTF-8, begins it. */
function hasMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

function notJson(): ProblemError {
  return malformed("The body is not valid JSON in UTF-8. Send a JSON object.");
}

function malformed(detail: string): ProblemError {
  return new ProblemError({ code: "MALFORMED_JSON", detail });
}
