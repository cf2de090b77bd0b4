/** Why a database cannot be used by this version. */
export type SchemaProblemCode =
  /** A newer or unreleased version has changed the database. */
  | "SCHEMA_NEWER"
  /** The database lacks tables or columns: an unreleased version created it, or somebody dropped them. */
  | "SCHEMA_INCOMPLETE"
  /** `trainyard copy` was interrupted while it filled the database. */
  | "COPY_UNFINISHED";

/** A newer version has migrated the database. `names` are the migrations that this version does not know. */
export function newerSchema(names: readonly string[]): SchemaProblem {
  return new SchemaProblem(
    "SCHEMA_NEWER",
    `the database was used by a newer or an unreleased version of Trainyard: it has ${names.join(", ")}, which this version ` +
      "does not know; run that version, or restore a backup from before the upgrade",
  );
}

/** The database has another schema than this version needs. The message is one line that says what to do. */
export class SchemaProblem extends Error {
  override readonly name = "SchemaProblem";
  readonly code: SchemaProblemCode;

  constructor(code: SchemaProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}
