import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";

/** The file in the current directory to which the set-up writes the App's credentials. */
export const envFile = ".env";

/**
 * Adds the variables of `.env` that the environment does not set. An empty variable counts as not set; Node's own `loadEnvFile` would
 * not replace it.
 *
 * @throws an error of the system that names the file when it cannot be read
 */
export function loadEnvFile(): void {
  if (!existsSync(envFile)) return;
  for (const [name, value] of Object.entries(parseEnv(read()))) {
    if (!process.env[name] && value !== undefined) process.env[name] = value;
  }
}

function read(): string {
  try {
    return readFileSync(envFile, "utf8");
  } catch (error) {
    const path = resolve(envFile);
    const { message } = error as Error;
    throw Object.assign(error as Error, { path, message: `${path} cannot be read: ${message}` });
  }
}
