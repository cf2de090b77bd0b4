import type * as z from "zod";

/** Describes the fault of a value, as the continuation of a sentence that begins with the value's path. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      if (issue.expected === "int" && typeof issue.input === "number") return "must be a whole number";
      return `must be ${typeName(issue.expected)}, not ${typeName(typeOf(issue.input))}`;
    case "invalid_value":
      return issue.input === undefined ? "is required" : `must be ${issue.values.map(String).join(" or ")}`;
    case "too_small":
      if (issue.origin !== "number" && issue.minimum === 1) return "must not be empty";
      if (issue.origin === "string") return `must be at least ${issue.minimum} characters long`;
      if (issue.origin === "array") return `must have at least ${issue.minimum} elements`;
      return `must be at least ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "string") return `must be at most ${issue.maximum} characters long`;
      if (issue.origin === "array") return `must have at most ${issue.maximum} elements`;
      return `must be at most ${issue.maximum}`;
    case "invalid_union":
      return issue.input === undefined ? "is required" : undefined;
    default:
      return undefined;
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function typeName(type: string): string {
  const names: Record<string, string> = {
    array: "a list",
    boolean: "true or false",
    int: "a whole number",
    null: "null",
    number: "a number",
    object: "an object",
    string: "a string",
  };
  return names[type] ?? type;
}
