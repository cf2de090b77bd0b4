/** A database that cannot be opened. The message is one line that says what to do. */
export class DatabaseUnusable extends Error {
  override readonly name = "DatabaseUnusable";
  readonly code = "DATABASE_UNUSABLE";
}
