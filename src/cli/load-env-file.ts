import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** The file in the current directory to which the set-up writes the App's credentials. */
export const envFile = ".env";

/**
 * Adds the variables of `.env` that the environment does not set. An empty variable counts as not set; Node's own `loadEnvFile` would
 * not replace it.
 */
export function loadEnvFile(): void {
  if (!existsSync(envFile)) return;
  for (const [name, value] of Object.entries(parseEnv(readFileSync(envFile, "utf8")))) {
    if (!process.env[name] && value !== undefined) process.env[name] = value;
  }
}
