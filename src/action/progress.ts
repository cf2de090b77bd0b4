import { describeProgress } from "./describe-entry.ts";
import type { Entry } from "./step.ts";

const reminderMs = 60_000;

/** What is written to the log while a step waits: every change of state or place, and a sign of life each minute. */
export class Progress {
  #shown = "";
  #shownAt = 0;

  /** The line to write now; null = none. */
  lineFor(entry: Entry, now: number): string | null {
    const key = `${entry.state} ${entry.position} ${entry.reason}`;
    const isNews = key !== this.#shown;
    if (!isNews && now - this.#shownAt < reminderMs) return null;
    this.#shown = key;
    this.#shownAt = now;
    return `#${entry.prNumber} is ${isNews ? "" : "still "}${describeProgress(entry, now)}`;
  }
}
