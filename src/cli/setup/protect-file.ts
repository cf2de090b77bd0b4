import { closeSync, fchmodSync, openSync } from "node:fs";

/** Restricts a file to its owner before anything secret is in it. Creates the file if it does not exist. */
export function protectFile(path: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    // The file may have existed, and the process's umask may remove more than it should.
    fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}
