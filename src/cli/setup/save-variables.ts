import { appendFileSync, closeSync, fchmodSync, openSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/**
 * Appends variables to a settings file such as `.env`, which only its owner can read from then on. The last line of a name
 * counts, so lines that are there already need no change.
 *
 * @returns the problem of the value that the file cannot contain; null = saved
 */
export function saveVariables(path: string, variables: Readonly<Record<string, string>>): string | null {
  protectFile(path);
  const present = readFileSync(path, "utf8");
  const known = parseEnv(present);
  const missing = Object.entries(variables).filter(([name, value]) => known[name] !== value);
  const added = missing.map(([name, value]) => `${name}=${quote(value)}\n`).join("");
  const gap = present === "" || present.endsWith("\n") ? "" : "\n";
  const read = parseEnv(added);
  for (const [name, value] of missing)
    if (read[name] !== value) return `${name} contains characters that ${path} cannot hold`;
  appendFileSync(path, gap + added);
  return null;
}

/** Line breaks are escaped in double quotes: Docker's `--env-file` does not support values with several lines. */
function quote(value: string): string {
  if (/^[\w./:@+=-]*$/.test(value)) return value;
  if (value.includes("\n") || !/["\\]/.test(value)) return `"${value.replaceAll("\n", "\\n")}"`;
  return `'${value}'`;
}

/** Restricts a file to its owner before anything secret is in it. Creates the file if it does not exist. */
function protectFile(path: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    // The file may have existed, and the process's umask may remove more than it should.
    fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}
