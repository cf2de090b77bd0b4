import { describeProgress } from "./describe-entry.ts";
import type { Entry } from "./step.ts";

const reminderMs = 60_000;

/** The log lines of a step that waits: one for every change of state, position or reason, and a reminder each minute. */
export class Progress {
  #shown = "";
  #shownAt = 0;

  /** The line to log now; null = none. */
  lineFor(entry: Entry, now: number): string | null {
    const key = `${entry.state} ${entry.position} ${entry.reason}`;
    const isNews = key !== this.#shown;
    if (!isNews && now - this.#shownAt < reminderMs) return null;
    this.#shown = key;
    this.#shownAt = now;
    return `#${entry.prNumber} is ${isNews ? "" : "still "}${describeProgress(entry, now)}`;
  }
}
