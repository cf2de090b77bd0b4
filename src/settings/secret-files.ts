import type { SettingsIssue } from "./issue.ts";
import type { Variables } from "./variables.ts";

/** The variables with secrets. Each can also be read from a file that `NAME_FILE` names. */
export const secretVariables = [
  "DATABASE_URL",
  "PRIVATE_KEY",
  "WEBHOOK_SECRET",
  "WEBHOOK_SECRET_PREVIOUS",
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
