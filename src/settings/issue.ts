import type * as z from "zod";

/** A fault of the environment, and what to set instead. */
export interface SettingsIssue {
  readonly variable: string;
  readonly problem: string;
}

/** Describes what the value of a variable must be. The value is not repeated, because it may be a secret. */
export function describeVariable(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" ? "must be a whole number" : `must be a ${issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values
        .map(String)
        .join(", ")
        .replace(/, ([^,]*)$/, " or $1")}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "url" ? "must be an address, such as https://queue.example.com" : undefined;
    default:
      return undefined;
  }
}

export function toIssue(issue: z.core.$ZodIssue): SettingsIssue {
  return { variable: issue.path.join("."), problem: issue.message };
}
