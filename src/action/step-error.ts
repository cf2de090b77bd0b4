/** The reason why a step cannot go on, and what to do about it. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly title: string;

  /** @param message sentences; the last one says what to do. */
  constructor(title: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.title = title;
  }
}
