import type { StorageFault } from "../../ports/storage-fault.ts";

/** The database is faulty, and not the statement. */
export class StorageError extends Error implements StorageFault {
  override readonly name = "StorageError";
  readonly code: StorageFault["code"];
  override readonly cause: Error;

  constructor(code: StorageFault["code"], cause: Error) {
    super(cause.message);
    this.code = code;
    this.cause = cause;
  }
}

/** Keys are SQLite's primary result codes. Source: sqlite.org/rescode.html. */
const codes: Readonly<Record<number, StorageFault["code"]>> = {
  3: "DATABASE_READ_ONLY",
  5: "DATABASE_BUSY",
  6: "DATABASE_BUSY",
  8: "DATABASE_READ_ONLY",
  10: "DATABASE_WRITE_FAILED",
  11: "DATABASE_CORRUPT",
  13: "DATABASE_FULL",
  14: "DATABASE_READ_ONLY",
  26: "DATABASE_CORRUPT",
};

/** Wraps SQLite's errors of a faulty database; returns every other error unchanged. */
export function asStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  // The low byte is the primary code.
  const code = codes[Number(error.errcode) & 0xff];
  return code ? new StorageError(code, error) : error;
}
