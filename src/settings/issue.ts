import type * as z from "zod";

/** A fault of the environment, and what to set instead. */
export interface SettingsIssue {
  readonly variable: string;
  readonly problem: string;
}

export function toIssue(issue: z.core.$ZodIssue): SettingsIssue {
  return { variable: issue.path.join("."), problem: issue.message };
}
