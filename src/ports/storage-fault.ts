/** Why nothing can be stored at the moment. */
export interface StorageFault {
  readonly code:
    | "DATABASE_FULL"
    | "DATABASE_READ_ONLY"
    | "DATABASE_WRITE_FAILED"
    | "DATABASE_BUSY"
    | "DATABASE_CORRUPT"
    | "DATABASE_NOT_ANSWERING"
    /** The file was moved, removed or replaced while it was open, so writes would be lost. */
    | "DATABASE_FILE_MOVED"
    /** A newer version has migrated the database, so this process must not write to it any more. */
    | "SCHEMA_NEWER";
  /** For the log. It may contain paths. */
  readonly cause: unknown;
}
