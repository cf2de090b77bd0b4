import * as z from "zod";
import { nearestName } from "../../command/nearest-name.ts";
import type { FieldError, Problem } from "./problem.ts";

/** Further errors do not help, and each unknown name costs a search for the nearest one. */
const maxErrors = 20;
const errorsInDetail = 3;

/**
 * Returns the errors of the first issues, with their paths. Finding the nearest name for each of thousands of unknown fields
 * would take minutes.
 */
export function fieldErrors(issues: readonly z.core.$ZodIssue[], schema: z.ZodType): FieldError[] {
  return issues
    .slice(0, maxErrors)
    .filter((issue) => !issues.slice(0, maxErrors).some((other) => isStricter(other, issue)))
    .flatMap((issue) => errorsOf(issue, schema))
    .slice(0, maxErrors);
}

/** A number that is too large for an integer also exceeds the field's maximum. Only the smaller maximum is reported. */
function isStricter(issue: z.core.$ZodIssue, than: z.core.$ZodIssue): boolean {
  if (issue.code !== "too_big" || than.code !== "too_big") return false;
  return pathText(issue.path) === pathText(than.path) && issue.maximum < than.maximum;
}

function errorsOf(issue: z.core.$ZodIssue, schema: z.ZodType): FieldError[] {
  if (issue.code !== "unrecognized_keys") return [{ path: pathText(issue.path), message: issue.message }];
  const known = knownFields(schema, issue.path);
  return describeUnknown(issue.keys.slice(0, maxErrors), known, (name) => pathText([...issue.path, name]));
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

/** Describes unknown names in an object. `path` is the path of a name, `known` are the names that the object may have. */
function describeUnknown(
  names: readonly string[],
  known: readonly string[],
  path: (name: string) => string,
): FieldError[] {
  return names.map((name) => ({ path: path(name.slice(0, 100)), message: describeName(name, known) }));
}

function describeName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== null) return `is unknown; did you mean ${nearest}?`;
  return known.length === 0 ? "is unknown; remove it" : `is unknown; the known ones are ${known.join(", ")}`;
}

/** Returns the fields of the object at a path of a schema, or none if the schema has no object there. */
function knownFields(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = schema;
  for (const key of path) at = fieldOf(at, key);
  const object = unwrapped(at);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function fieldOf(schema: unknown, key: PropertyKey): unknown {
  const container = unwrapped(schema);
  if (container instanceof z.ZodArray) return container.element;
  return container instanceof z.ZodObject ? container.shape[String(key)] : undefined;
}

/** Returns the schema inside optional ones, defaults and transformations. */
function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap());
  return schema;
}

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
