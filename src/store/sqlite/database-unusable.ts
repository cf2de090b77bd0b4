/** A database that cannot be opened. The message is one line that says what to do. */
export class DatabaseUnusable extends Error {
  override readonly name = "DatabaseUnusable";
  readonly code = "DATABASE_UNUSABLE";
  /** The database may answer soon, without any change of the settings. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false, ...options }: ErrorOptions & { mayPass?: boolean } = {}) {
    super(message, options);
    this.mayPass = mayPass;
  }
}
