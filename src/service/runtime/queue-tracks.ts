import type { EntryState } from "../../engine/model/entry.ts";
import type { CulpritSearch } from "../../engine/policies/culprit-search.ts";
import type { MergeForecast } from "./forecasts.ts";

/**
 * What a queue tests on top of what, at one moment: plain data, from which a page draws it. Refers to pull requests by number; `cars`
 * describes those that are drawn. Times in milliseconds since the epoch.
 */
export interface QueueTracks {
  readonly at: number;
  readonly branch: string;
  /** Null = not known yet. */
  readonly baseSha: string | null;
  /** The slots that limit the tests of waiting pull requests at present. */
  readonly slots: { readonly used: number; readonly of: number };
  /** How long a test usually takes; null = none has ended yet. */
  readonly usualTestMs: number | null;
  /** In `single` mode one lane; in `parallel` mode, the parts of the queue that do not wait for each other. */
  readonly lanes: readonly Lane[];
  /** Tests that decide about nothing in the queue. */
  readonly others: readonly Track[];
  readonly searches: readonly CulpritSearch[];
  readonly cars: Readonly<Record<number, Car>>;
  /** The number of tests beyond the maximum number that is drawn. */
  readonly moreTracks: number;
  /** The number of waiting pull requests beyond the maximum number that is drawn. */
  readonly moreWaiting: number;
}

export interface Lane {
  /** In the order in which they merge. */
  readonly tracks: readonly Track[];
  /** The first pull requests that wait for a test, in the order in which they are considered. */
  readonly waiting: readonly number[];
}

/** A test run: the base, what is ahead, and the pull requests that it decides about. */
export interface Track {
  readonly runId: string;
  readonly state: "building" | "running" | "passed" | "failed" | "merging";
  /** What it is tested on top of, in the order in which it merges; pull requests of one batch are together. */
  readonly ahead: readonly (readonly number[])[];
  /** More than one for a batch. */
  readonly members: readonly number[];
  /** Undecided pull requests ahead that it does not contain: its result counts if they leave the queue. */
  readonly without: readonly number[];
  /**
   * `spare`: another test may decide about the members first. `alone`: it tests the members by themselves first. `base`: it tests the base.
   * `try`: it decides about nothing in the queue.
   */
  readonly kind: "main" | "spare" | "alone" | "base" | "try";
  readonly startedAt: number;
  /** The test branch or the commit at the code host; null = not built yet. */
  readonly sha: string | null;
  readonly checks: readonly {
    readonly name: string;
    readonly state: "open" | "passed" | "failed";
  }[];
  /** When its last member will merge; null = not known. */
  readonly merges: MergeForecast | null;
}

export interface Car {
  readonly pr: number;
  readonly title: string;
  readonly author: string;
  readonly state: EntryState;
  /** Null = the default. */
  readonly priority: string | null;
  /** Every unmerged pull request that it is tested on top of, in the order in which they merge. */
  readonly ahead: readonly number[];
  /** The pull requests whose tests contain it: cancelling it restarts them. */
  readonly restarts: readonly number[];
  /** Why it has not merged yet. */
  readonly why: string;
}
