import type * as z from "zod";

/** The environment of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Removes empty variables, which count as absent. */
export function withoutEmpty(env: Variables) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
}

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

/** The variables with secrets. Each can also be read from a file that `NAME_FILE` names. */
export const secretVariables = [
  "DATABASE_URL",
  "PRIVATE_KEY",
  "WEBHOOK_SECRET",
  "WEBHOOK_SECRET_PREVIOUS",
  "GITHUB_CLIENT_SECRET",
  "TRAINYARD_API_TOKEN",
  "TRAINYARD_ENCRYPTION_KEY",
  "TRAINYARD_ENCRYPTION_KEY_PREVIOUS",
] as const;

/** Returns the environment with the secrets from files, and the faults of these files. A trailing line break is removed. */
export function withSecretFiles(
  env: Variables,
  readFile: (path: string) => string,
): { env: Variables; issues: SettingsIssue[] } {
  const read: Record<string, string> = {};
  const issues: SettingsIssue[] = [];
  for (const name of secretVariables) {
    const variable = `${name}_FILE`;
    const path = env[variable];
    if (!path) continue;
    if (env[name]) {
      issues.push({ variable, problem: `contradicts ${name}: set only one of them` });
      continue;
    }
    try {
      read[name] = readFile(path).replace(/\r?\n$/, "");
      if (read[name] === "") issues.push({ variable, problem: `names an empty file: ${path}` });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      issues.push({ variable, problem: `cannot be read: ${reason}` });
    }
  }
  return { env: { ...env, ...read }, issues };
}
