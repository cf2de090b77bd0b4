import { ReportRefused } from "./fault.ts";
import type { ReportLimits } from "./limits.ts";

/** Limits what is kept of the failures of one upload's reports: there may be many, each with a long text. */
export class FailureRoom {
  readonly #limits: ReportLimits;
  #failures = 0;
  #characters = 0;

  constructor(limits: ReportLimits) {
    this.#limits = limits;
  }

  /**
   * The maximum number of characters to keep of the next failure's message, and of its text.
   *
   * @throws ReportRefused when the reports have too many failures.
   */
  next(): number {
    const { failures, failureText, failureTexts, shortFailureText } = this.#limits;
    this.#failures += 1;
    if (this.#failures > failures)
      throw new ReportRefused(
        "TOO_MANY_FAILURES",
        `more than ${failures} failures: repair what they have in common, or upload fewer reports at a time`,
      );
    return this.#characters < failureTexts ? failureText : Math.min(failureText, shortFailureText);
  }

  /** Records how many characters were kept of a failure. */
  keep(characters: number): void {
    this.#characters += characters;
  }
}
