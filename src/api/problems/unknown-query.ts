import type { Problem } from "./problem.ts";
import { describeUnknown } from "./unknown-fields.ts";

/** Further errors would not help, and each of them costs a search for the nearest name. */
const maxErrors = 20;
const errorsInDetail = 3;

/** Returns the problem of a request whose query has unknown parameters; null if all of them are known. */
export function unknownQuery(query: unknown, known: readonly string[]): Problem | null {
  const unknown = Object.keys(query as object).filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  const errors = describeUnknown(unknown.slice(0, maxErrors), known, (name) => name);
  const sentences = errors.slice(0, errorsInDetail).map(({ path, message }) => `${path} ${message}`);
  const advice = known.length === 0 ? " This endpoint reads all fields from the JSON body." : "";
  const detail = `Correct the query: ${sentences.join("; ")}`;
  return { code: "BAD_REQUEST", detail: `${detail.endsWith("?") ? detail : `${detail}.`}${advice}`, errors };
}
