type LiveRefusalCode =
  | "APP_NOT_INSTALLED"
  | "APP_CREDENTIALS_REFUSED"
  | "GITHUB_UNAVAILABLE"
  | "MARKER_MISSING"
  | "REPOSITORY_ARCHIVED";

/** The run was refused before anything was created. The message says what to do. */
export class LiveRefusal extends Error {
  override readonly name = "LiveRefusal";
  readonly code: LiveRefusalCode;

  constructor(code: LiveRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
