import { compareNumbers, SortedMap } from "../../collections/sorted-map.ts";
import type { PolicyMemory, QueueState } from "../../model/queue.ts";
import type { Targets } from "../../model/targets.ts";
import type { Members } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import type { ImpactIndex } from "../lanes/impact-index.ts";

/** The counts of a queue. Each starts with a weak assumption: 5 % of entries bad, 1.7 % flakes, 3 % of neighbours conflict. */
export interface Rates {
  /** Entries that ended by merging or failing. */
  readonly decided: number;
  /** Of these, the failures by their own fault. The other failures count as conflicts. */
  readonly ownFaults: number;
  readonly runs: number;
  readonly flakes: number;
  /** The sum of `exposure` over the decided entries. */
  readonly exposures: number;
  readonly conflicts: number;
  /** How often each check flaked, by name. */
  readonly flakyChecks: Readonly<Record<string, number>>;
}

export const initialRates: Rates = {
  decided: 20,
  ownFaults: 1,
  runs: 60,
  flakes: 1,
  exposures: 50,
  conflicts: 1.5,
  flakyChecks: {},
};

/** Returns the probability that a run fails because of a flake. */
export function flakeRate({ flakes, runs }: Rates): number {
  return Math.max(0.002, flakes / runs);
}

/** Returns the probability that two neighbours conflict. */
export function conflictRate({ conflicts, exposures }: Rates): number {
  return clamped(conflicts / exposures, 0.002, 0.2);
}

/** Returns the probability that a pull request is bad by itself, if nothing else is known about it. */
export function faultRate({ ownFaults, decided }: Rates): number {
  return clamped(ownFaults / decided, 0.01, 0.5);
}

/** Returns the probability that an entry is bad, given its own risk and its number of neighbours. */
export function priorOf(rates: Rates, own: number, neighbours: number): number {
  return 1 - (1 - own) * (1 - conflictRate(rates)) ** neighbours;
}

/** Returns the rates after an entry has merged or failed. */
export function afterDecision(rates: Rates, own: number, exposure: number, passed: boolean): Rates {
  const decided = { ...rates, decided: rates.decided + 1, exposures: rates.exposures + exposure };
  if (passed) return decided;
  const byConflict = 1 - (1 - conflictRate(rates)) ** exposure;
  const share = byConflict / (own + byConflict);
  return {
    ...decided,
    conflicts: rates.conflicts + share,
    ownFaults: rates.ownFaults + 1 - share,
  };
}

/** Returns the rates after a failure turned out to be a flake of these checks. */
export function afterFlake(rates: Rates, checks: readonly string[]): Rates {
  const flakyChecks = { ...rates.flakyChecks };
  for (const name of checks) flakyChecks[name] = (flakyChecks[name] ?? 0) + 1;
  return { ...rates, flakes: rates.flakes + 1, flakyChecks };
}

function clamped(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** A run that failed, as evidence against one of the entries in its tree. */
export interface FailedRunEvidence {
  readonly runId: string;
  /** The other pull requests in the tree. Those that have merged since are not at fault. */
  readonly others: readonly number[];
  readonly failure: Reason;
  /** See `TestRun`. */
  readonly passesBefore?: number;
  readonly whileBaseFailed?: true;
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
  /** The live entries, ahead and behind, that impact a common target; empty in `single` mode. */
  readonly neighbours: readonly number[];
  /** Its place in the order, set when a test first contains it; null before. Entries with a place precede entries without one. */
  readonly place: number | null;
  /** It has been a member of a run, or has been proved. */
  readonly started: boolean;
  /** How many neighbours have merged since the base that the pull request was written on; see `staleMs`. */
  readonly exposure: number;
  /** How many of its runs were in flight, and did not contain a neighbour ahead of it, when that neighbour merged. */
  readonly overtaken: number;
  readonly reds: readonly FailedRunEvidence[];
  readonly certificates: readonly Certificate[];
  /** The ids of active runs that contain it, but not a neighbour that has merged since. */
  readonly stale: readonly string[];
  /** New tests of other entries leave it out. */
  readonly suspect: boolean;
  /** Its tests are built on its transitive dependencies, instead of only the direct ones. */
  readonly useTransitiveDependencies: boolean;
  /** What it was built on when it last conflicted, by number; absent = it never conflicted. */
  readonly conflictsWith?: readonly number[];
  /** It is tested by itself, on the base. */
  readonly isolated: boolean;
  /** It has passed by itself. */
  readonly passedInIsolation: boolean;
  /** The maximum size of a block that it may join, after its block failed; null = any size. */
  readonly limit: number | null;
}

/** The outcome of a run for a block. */
export interface Verdict {
  /** The blocks ahead that the run contained, by id, in order, including blocks that had merged already. */
  readonly path: readonly number[];
  readonly outcome: "passed" | "failed";
  readonly runId: string;
}

/** Entries that are tested and merged together, in `single` mode. */
export interface Block {
  readonly id: number;
  /** The members that have not merged yet, in order. */
  readonly members: Members;
  /** The blocks that were in the line when it was formed. */
  readonly ahead: readonly number[];
  /** The blocks ahead that have failed or been dissolved. */
  readonly excluded: readonly number[];
  readonly verdicts: readonly Verdict[];
}

/** A pull request that merged a short while ago. */
export interface RecentMerge {
  readonly pr: number;
  readonly targets: Targets;
  readonly at: number;
}

/** What the policies that use beliefs remember. */
export interface BeliefState {
  readonly tracks: SortedMap<number, EntryEvidence>;
  /** The number of places given so far. */
  readonly places: number;
  readonly rates: Rates;
  /** The merges of the last hour. */
  readonly recentMerges: readonly RecentMerge[];
  /** When a run was last discarded with the reason `SLOT_NEEDED`, in milliseconds since the epoch; null = never. */
  readonly preemptedAt: number | null;
  /** The blocks in the line, in the order in which they will merge. */
  readonly blocks: readonly Block[];
  readonly blocksFormed: number;
  /** When the last block was formed, in milliseconds since the epoch; null = never. */
  readonly formedAt: number | null;
  /** The tracked and recently merged pull requests by target, in `parallel` mode. Derived, so it is in no snapshot. */
  readonly impacts: ImpactIndex | null;
}

export const nothingKnown: BeliefState = {
  tracks: SortedMap.empty(compareNumbers),
  places: 0,
  rates: initialRates,
  recentMerges: [],
  preemptedAt: null,
  blocks: [],
  blocksFormed: 0,
  formedAt: null,
  impacts: null,
};

interface BeliefMemory extends PolicyMemory {
  readonly beliefs: BeliefState;
}

export function beliefsOf({ policyMemory }: Pick<QueueState, "policyMemory">): BeliefState {
  return holdsBeliefs(policyMemory) ? policyMemory.beliefs : nothingKnown;
}

export function withBeliefs(policyMemory: PolicyMemory, beliefs: BeliefState): PolicyMemory {
  const memory: BeliefMemory = { ...policyMemory, beliefs };
  return memory;
}

export function holdsBeliefs(memory: PolicyMemory): memory is BeliefMemory {
  return "beliefs" in memory;
}

/** A pull request is assumed to be written on a base that contains all merges from at least this time before its submission. */
export const staleMs = 60 * 60_000;

/** The maximum number of waiting entries that are considered at once. Entries beyond it wait in order. Bounds the cost of each event. */
export const considered = 1_000;
