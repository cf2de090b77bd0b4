import type * as z from "zod";
import { describeIssue, fieldErrors } from "../problems/field-errors.ts";
import type { FieldError, Problem } from "../problems/problem.ts";

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
  const detail = `Correct the body: ${sentences.join("; ")}${more}`;
  return { code: "INVALID_BODY", detail: detail.endsWith("?") ? detail : `${detail}.`, errors };
}
