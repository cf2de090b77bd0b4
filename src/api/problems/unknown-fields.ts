import * as z from "zod";
import { nearestName } from "../../command/nearest-name.ts";
import type { FieldError } from "./problem.ts";

/** Describes unknown names in an object. `path` is the path of a name, `known` are the names that the object may have. */
export function describeUnknown(
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
export function knownFields(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
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
