import type { EventData } from "../../../../src/engine/model/event.ts";
import type { Violations } from "../../../../src/replay/engine-run/watches.ts";

/**
 * More than the largest number of tests of one pull request in 60,000 scenarios. It is large because everything that failed is tested a
 * dozen times in the two hours of an outage, each time in several combinations. Decisions that undo each other lead to more.
 */
const mostRuns = 100;

/** Counts the tests of each pull request after the last outside event (push, cancellation, submission). */
export class RepetitionWatch {
  readonly #violations: Violations;
  readonly #runs = new Map<number, number>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  follow(data: EventData): void {
    if (data.type !== "run_started") return;
    for (const pr of data.run.members) {
      const runs = (this.#runs.get(pr) ?? 0) + 1;
      this.#runs.set(pr, runs);
      if (runs > mostRuns)
        this.#violations.add("I26", `#${pr} was tested ${runs} times, and nothing happened outside`);
    }
  }
}
