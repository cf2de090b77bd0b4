import type { Ending, PullRequestOutcome } from "../outcome.ts";
import type { Roster } from "../workload/roster.ts";

const endings: readonly Ending[] = ["undecided", "merged", "rejected", "cancelled"];

/** Records the ending of each pull request and the use of CI. */
export class Ledger {
  broken = 0;
  runs = 0;
  ciMinutes = 0;
  readonly #roster: Roster;
  readonly #ending: Uint8Array;
  readonly #endedAt: Float64Array;
  readonly #falseRejections: Uint16Array;
  readonly #runsOf: Uint16Array;
  #undecided: number;

  constructor(roster: Roster) {
    this.#roster = roster;
    this.#undecided = roster.size;
    this.#ending = new Uint8Array(roster.size);
    this.#endedAt = new Float64Array(roster.size);
    this.#falseRejections = new Uint16Array(roster.size);
    this.#runsOf = new Uint16Array(roster.size);
  }

  get undecided(): number {
    return this.#undecided;
  }

  isDecided(index: number): boolean {
    return this.#ending[index] !== 0;
  }

  /** Only the first ending counts. The judge reports a second one. */
  end(index: number, ending: Exclude<Ending, "undecided">, at: number): void {
    if (this.isDecided(index)) return;
    this.#ending[index] = endings.indexOf(ending);
    this.#endedAt[index] = at;
    this.#undecided--;
  }

  rejectFalsely(index: number): void {
    this.#falseRejections[index] = (this.#falseRejections[index] ?? 0) + 1;
  }

  start(tree: readonly number[]): void {
    this.runs++;
    for (const index of tree) this.#runsOf[index] = (this.#runsOf[index] ?? 0) + 1;
  }

  get pullRequests(): PullRequestOutcome[] {
    return this.#roster.workload.pullRequests.map(({ n, at }, index) => ({
      n,
      at,
      ending: endings[this.#ending[index] ?? 0] ?? "undecided",
      endedAt: this.isDecided(index) ? (this.#endedAt[index] ?? null) : null,
      falseRejections: this.#falseRejections[index] ?? 0,
      runs: this.#runsOf[index] ?? 0,
    }));
  }
}
