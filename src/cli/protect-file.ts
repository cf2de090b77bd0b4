import { closeSync, fchmodSync, openSync } from "node:fs";

/** Lets nobody but its owner read or write a file, before anything secret is in it; one that is not there is made. */
export function protectFile(path: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    // It may have been there, and the process may mask more than it should.
    fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}
