/** Why a database, or a backup of one, cannot be used. */
export type DatabaseProblemCode =
  /** A newer or unreleased version has changed the database. */
  | "SCHEMA_NEWER"
  /** An earlier version has written the database, and it has to be migrated first. */
  | "SCHEMA_OLDER"
  /** The database lacks tables or columns: an unreleased version created it, or somebody dropped them. */
  | "SCHEMA_INCOMPLETE"
  /** `trainyard copy` was interrupted while it filled the database. */
  | "COPY_UNFINISHED"
  /** The target of a copy contains something else. */
  | "COPY_TARGET_NOT_EMPTY"
  /** The two databases differ after a copy. */
  | "COPY_DIFFERS"
  /** There is no database, or no data of Trainyard in it. */
  | "DATABASE_MISSING"
  /** The database is of a kind for which this is not possible. */
  | "DATABASE_KIND_NOT_SUPPORTED"
  /** The address of the database cannot be read. */
  | "DATABASE_URL_NOT_VALID"
  /** A service uses the database. */
  | "DATABASE_IN_USE"
  | "DATABASE_DAMAGED"
  | "BACKUP_MISSING"
  | "BACKUP_EXISTS";

/** A newer version has migrated the database. `names` are the migrations that this version does not know. */
export function newerSchema(names: readonly string[]): DatabaseProblem {
  return new DatabaseProblem(
    "SCHEMA_NEWER",
    `the database was used by a newer or an unreleased version of Trainyard: it has ${names.join(", ")}, which this version ` +
      "does not know; run that version, or restore a backup from before the upgrade",
  );
}

/** A database cannot be used as it is. The message is one line that says what to do. */
export class DatabaseProblem extends Error {
  override readonly name = "DatabaseProblem";
  readonly code: DatabaseProblemCode;

  constructor(code: DatabaseProblemCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
