import type { Entry } from "./entry.ts";
import type { TestRun } from "./test-run.ts";

/** An entry in the line, and the run that decides about it; null while its batch is bisected. */
export interface Standing {
  readonly entry: Entry;
  readonly run: TestRun | null;
}

/**
 * Pull requests in the order in which they will merge, each with its entry and run at hand: the line is gone through several
 * times at every event, and looking those up would be most of what that costs. Immutable.
 *
 * A change copies the array: hundreds of pointers cost less than a path through a tree, and going through them much less.
 */
export class Line implements Iterable<number> {
  static readonly empty = new Line([]);

  readonly standings: readonly Standing[];

  private constructor(standings: readonly Standing[]) {
    this.standings = standings;
  }

  get length(): number {
    return this.standings.length;
  }

  includes(pr: number): boolean {
    return this.indexOf(pr) >= 0;
  }

  /** 0 = the first; -1 = not in the line. */
  indexOf(pr: number): number {
    return this.standings.findIndex(({ entry }) => entry.pr === pr);
  }

  *[Symbol.iterator](): Generator<number> {
    for (const { entry } of this.standings) yield entry.pr;
  }

  /** What stands behind a pull request in the line. */
  behind(pr: number): readonly Standing[] {
    const place = this.indexOf(pr);
    return place < 0 ? [] : this.standings.slice(place + 1);
  }

  /** With more at its end. */
  appended(standings: readonly Standing[]): Line {
    return new Line([...this.standings, ...standings]);
  }

  /** With an entry or a run that has changed, where it stands already. */
  updated(standing: Standing): Line {
    const place = this.indexOf(standing.entry.pr);
    return place < 0 ? this : new Line(this.standings.with(place, standing));
  }

  /** With a run as it is now, wherever it decides. */
  following(run: TestRun): Line {
    if (!this.standings.some(({ entry }) => entry.runId === run.id)) return this;
    return new Line(
      this.standings.map((standing) => (standing.entry.runId === run.id ? { ...standing, run } : standing)),
    );
  }

  without(pr: number): Line {
    const place = this.indexOf(pr);
    return place < 0 ? this : new Line(this.standings.toSpliced(place, 1));
  }
}
