import { compareNumbers, SortedMap } from "../../collections/sorted-map.ts";
import type { Targets } from "../../model/targets.ts";
import type { Reason } from "../../reasons/reason.ts";
import type { ImpactIndex } from "../lanes/impact-index.ts";
import { initialRates, type Rates } from "./rates.ts";

/** A run that failed, as evidence against one of the entries in its tree. */
export interface FailedRunEvidence {
  readonly runId: string;
  /** The other pull requests in the tree; those that have merged since are not to blame. */
  readonly others: readonly number[];
  readonly failure: Reason;
}

/** A run that passed, as proof for one of the entries in its tree. */
export interface Certificate {
  readonly runId: string;
  /** The other pull requests in the tree. */
  readonly others: readonly number[];
}

/** What is known about a live entry. */
export interface EntryEvidence {
  readonly pr: number;
  /** The live entries that impact a common target, before and behind it; in `parallel` mode only. */
  readonly neighbours: readonly number[];
  /** Fixed when it is first part of a test: who has a place comes before who has none. */
  readonly place: number | null;
  /** It has been a member of a run. */
  readonly started: boolean;
  /** How many neighbours have merged since the base that it was written on. */
  readonly exposure: number;
  /** How often a neighbour behind it merged before it. */
  readonly overtaken: number;
  readonly reds: readonly FailedRunEvidence[];
  readonly certificates: readonly Certificate[];
  /** Active runs that contain it, but not a neighbour which has merged since. */
  readonly stale: readonly string[];
  /** Left out of new tests. */
  readonly suspect: boolean;
  /** It is built on everything that what it depends on stands on, too. */
  readonly useTransitiveDependencies: boolean;
  /** It is tested by itself, on the base. */
  readonly isolated: boolean;
  /** It has passed by itself. */
  readonly passedInIsolation: boolean;
  /** The largest block that it may be part of after its block failed; null = any. */
  readonly limit: number | null;
}

/** What a run said about a block. */
export interface Verdict {
  /** The blocks ahead that it contained, by id, in order; those included that had merged already. */
  readonly path: readonly number[];
  readonly outcome: "passed" | "failed";
  readonly runId: string;
}

/** Entries that are tested and merge together, in `single` mode. */
export interface Block {
  readonly id: number;
  /** Those that have not merged yet, in order. */
  readonly members: readonly number[];
  /** The blocks that were in the line when it was formed. */
  readonly ahead: readonly number[];
  /** Those of them that have failed, or were dissolved. */
  readonly excluded: readonly number[];
  readonly verdicts: readonly Verdict[];
}

/** A pull request that merged a short while ago. */
export interface RecentMerge {
  readonly pr: number;
  readonly targets: Targets;
  readonly at: number;
}

export interface BeliefState {
  readonly tracks: SortedMap<number, EntryEvidence>;
  /** How many places were given. */
  readonly places: number;
  readonly rates: Rates;
  /** The merges of the last hour. */
  readonly landed: readonly RecentMerge[];
  /** When a hedge had to give way last. */
  readonly preemptedAt: number | null;
  /** The blocks in the line, in the order in which they will merge. */
  readonly blocks: readonly Block[];
  readonly blocksFormed: number;
  /** When the last one was formed. */
  readonly formedAt: number | null;
  /** Who is tracked or has landed, by what they impact; in `parallel` mode. Derived, so it is in no snapshot. */
  readonly impacts: ImpactIndex | null;
}

export const nothingKnown: BeliefState = {
  tracks: SortedMap.empty(compareNumbers),
  places: 0,
  rates: initialRates,
  landed: [],
  preemptedAt: null,
  blocks: [],
  blocksFormed: 0,
  formedAt: null,
  impacts: null,
};

/** What merged longer ago than this was there when the pull request was written. */
export const staleMs = 60 * 60_000;

/** So many waiting entries are considered at once: beyond, the order decides alone. Bounds the cost of each event. */
export const considered = 1_000;
