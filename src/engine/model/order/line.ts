import type { Entry } from "../entry.ts";
import type { TestRun } from "../test-run.ts";

/** An entry in the line, and the run that decides about it. The run is null while the entry's batch is bisected. */
export interface Standing {
  readonly entry: Entry;
  readonly run: TestRun | null;
}

/**
 * Pull requests in the order in which they will merge. Each one is stored with its entry and run, because the line is iterated
 * several times at every event, and lookups would be most of the cost. Immutable.
 *
 * A change copies the array. Copying hundreds of pointers costs less than copying a path of a tree, and iteration is much faster.
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

  /** The index of a pull request: 0 = the first; -1 = not in the line. */
  indexOf(pr: number): number {
    return this.standings.findIndex(({ entry }) => entry.pr === pr);
  }

  *[Symbol.iterator](): Generator<number> {
    for (const { entry } of this.standings) yield entry.pr;
  }

  /** Everything behind a pull request in the line. */
  behind(pr: number): readonly Standing[] {
    const place = this.indexOf(pr);
    return place < 0 ? [] : this.standings.slice(place + 1);
  }

  /** The line with more standings at its end. */
  appended(standings: readonly Standing[]): Line {
    return new Line([...this.standings, ...standings]);
  }

  /** The line with a changed entry or run, at the place that the entry already has. */
  updated(standing: Standing): Line {
    const place = this.indexOf(standing.entry.pr);
    return place < 0 ? this : new Line(this.standings.with(place, standing));
  }

  /** The line with a changed run, for every entry that the run decides about. */
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
