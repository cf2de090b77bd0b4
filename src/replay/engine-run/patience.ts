import type { Workload } from "../workload/workload.ts";
import type { Ledger } from "./ledger.ts";

/** No working policy needs a week without deciding any pull request. */
const enoughMinutes = 7 * 24 * 60;

/** Detects that a policy makes no progress, for example when it rejects the same pull requests again and again. */
export class Patience {
  readonly #ledger: Ledger;
  #undecided: number;
  #progressAt: number;

  constructor(ledger: Ledger, { pullRequests }: Workload) {
    this.#ledger = ledger;
    this.#undecided = ledger.undecided;
    this.#progressAt = pullRequests.at(-1)?.at ?? 0;
  }

  /** @param now in minutes from the start */
  isOver(now: number): boolean {
    if (this.#ledger.undecided !== this.#undecided) {
      this.#undecided = this.#ledger.undecided;
      this.#progressAt = Math.max(this.#progressAt, now);
    }
    return now - this.#progressAt > enoughMinutes;
  }
}
