import type { Entry } from "../entry.ts";
import type { TestRun } from "../test-run.ts";

/** An entry in the line, and the run that decides about it. The run is null while the entry's batch is bisected. */
export interface LineEntry {
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

  readonly entries: readonly LineEntry[];

  private constructor(entries: readonly LineEntry[]) {
    this.entries = entries;
  }

  get length(): number {
    return this.entries.length;
  }

  includes(pr: number): boolean {
    return this.indexOf(pr) >= 0;
  }

  /** The index of a pull request: 0 = the first; -1 = not in the line. */
  indexOf(pr: number): number {
    return this.entries.findIndex(({ entry }) => entry.pr === pr);
  }

  *[Symbol.iterator](): Generator<number> {
    for (const { entry } of this.entries) yield entry.pr;
  }

  /** Everything behind a pull request in the line. */
  behind(pr: number): readonly LineEntry[] {
    const place = this.indexOf(pr);
    return place < 0 ? [] : this.entries.slice(place + 1);
  }

  /** The line with more entries at its end. */
  appended(entries: readonly LineEntry[]): Line {
    return new Line([...this.entries, ...entries]);
  }

  /** The line with a changed entry or run, at the place that the entry already has. */
  updated(lineEntry: LineEntry): Line {
    const place = this.indexOf(lineEntry.entry.pr);
    return place < 0 ? this : new Line(this.entries.with(place, lineEntry));
  }

  /** The line with a changed run, for every entry that the run decides about. */
  following(run: TestRun): Line {
    if (!this.entries.some(({ entry }) => entry.runId === run.id)) return this;
    return new Line(
      this.entries.map((lineEntry) => (lineEntry.entry.runId === run.id ? { ...lineEntry, run } : lineEntry)),
    );
  }

  without(pr: number): Line {
    const place = this.indexOf(pr);
    return place < 0 ? this : new Line(this.entries.toSpliced(place, 1));
  }
}
