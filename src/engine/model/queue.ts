import { compareNumbers, compareTexts, compareTuples, SortedMap } from "../collections/sorted-map.ts";
import { type AdaptiveState, nothingKnown } from "../policies/beliefs/adaptive-state.ts";
import type { Reason } from "../reasons/reason.ts";
import type { Bisection } from "./bisection.ts";
import { type CheckMemory, noMemory } from "./checks/check-memory.ts";
import type { Entry } from "./entry.ts";
import type { Freeze } from "./freeze.ts";
import { type History, noHistory } from "./history.ts";
import { Line } from "./line.ts";
import type { MergeAttempt } from "./merge-attempt.ts";
import type { QueueRefusal } from "./queue-refusal.ts";
import { noRuns, type RunIndex } from "./run-index.ts";
import { defaultSettings, type QueueSettings, usesLanes } from "./settings.ts";
import type { Strategy } from "./strategy.ts";
import type { TestRun } from "./test-run.ts";
import type { Try } from "./try.ts";
import type { OrderedWork, Wait } from "./wait.ts";

export type QueueStatus =
  /** Tests start, passed entries merge. */
  | "running"
  /** Nothing starts, nothing merges; running tests finish; submissions are accepted. */
  | "paused"
  /** Nothing starts; running tests finish and passed entries merge. */
  | "draining"
  /** As draining, or as paused if it was; when nothing is testing any more, the new mode begins. */
  | "switching_modes";

/** The mode, and perhaps the policy, that comes, and the state in which the queue goes on then. */
export interface NextMode {
  readonly mode: QueueSettings["mode"];
  readonly policy?: QueueSettings["policy"];
  readonly status: Exclude<QueueStatus, "switching_modes">;
}

export interface RepositoryRef {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

/** A tip that the base had, and the pull request whose merge made it; null for a move from outside. */
export interface BaseStep {
  readonly sha: string;
  readonly pr: number | null;
  /** No later than this did the base get this tip: a merge's time is when it was ordered. */
  readonly since: number;
}

/** `[priority, submitted at, pull request]`: the order in which entries are considered. */
export type OrderKey = readonly [priority: number, submittedAt: number, pr: number];

/** Everything about one queue, as a fold over its events. Never mutated. */
export interface QueueState {
  readonly id: string;
  readonly repo: RepositoryRef;
  readonly branch: string;
  /** The number of the last event folded in. */
  readonly seq: number;
  readonly deleted: boolean;
  readonly status: QueueStatus;
  readonly statusReason: Reason;
  readonly statusSince: number;
  readonly settings: QueueSettings;
  /** How its tests are ordered; follows from the settings once nothing is under way. */
  readonly strategy: Strategy;
  /** The state in which it goes on when the obstacle that stops it is gone; null: no obstacle stops it. */
  readonly resumes: "running" | "draining" | null;
  /** While it lasts, only urgent entries merge; null: there is none. */
  readonly freeze: Freeze | null;
  /** What the queue switches to, while `switching_modes`. */
  readonly next: NextMode | null;
  /** The base's known tips, oldest first; the last one is current. Empty until the base was read. */
  readonly base: readonly BaseStep[];
  /** The event that last moved the base: an observation made before it is stale. */
  readonly baseSeq: number;
  /** Live entries by pull request. */
  readonly entries: SortedMap<number, Entry>;
  /** Live entries that are not ready, since the longest time first. */
  readonly unready: SortedMap<readonly [stateChangedAt: number, pr: number], number>;
  /** Pending entries that may start, in order. */
  readonly waiting: SortedMap<OrderKey, number>;
  /** Those of them that better priorities can still overtake, oldest submission first. */
  readonly ageing: SortedMap<readonly [submittedAt: number, pr: number], number>;
  /** Pending entries to be tried again, by time. */
  readonly delayed: SortedMap<readonly [retryAt: number, pr: number], number>;
  /** Pending entries that may merge without a test run. */
  readonly direct: SortedMap<number, number>;
  /** Pending entries whose build conflicted with something ahead. */
  readonly held: SortedMap<number, number>;
  /** Live entries whose tests were cancelled so often in a row that one test runs at a time. */
  readonly interrupted: SortedMap<number, number>;
  /** The line: entries whose run has started, in the order in which they will merge. */
  readonly line: Line;
  readonly runs: SortedMap<string, TestRun>;
  readonly runIndex: RunIndex;
  readonly bisections: SortedMap<string, Bisection>;
  /** Pull requests that are tested without being queued. */
  readonly tries: SortedMap<number, Try>;
  readonly merge: MergeAttempt | null;
  /** The last merge that was refused for what is not about its pull request, unless something has merged since. */
  readonly lastRefusal?: QueueRefusal | undefined;
  /** Why what is ordered of the code host has to wait. */
  readonly waits: Readonly<Partial<Record<OrderedWork, Wait>>>;
  readonly history: History;
  readonly checkMemory: CheckMemory;
  /** What the policy `adaptive` has found out. */
  readonly adaptive: AdaptiveState;
}

/** The queue before its first event. */
export const noQueue: QueueState = {
  id: "",
  repo: { host: "", owner: "", name: "" },
  branch: "",
  seq: 0,
  deleted: true,
  status: "running",
  statusReason: { code: "READY" },
  settings: defaultSettings,
  strategy: "line",
  statusSince: 0,
  resumes: null,
  freeze: null,
  next: null,
  base: [],
  baseSeq: 0,
  entries: SortedMap.empty(compareNumbers),
  unready: SortedMap.empty<readonly [number, number], number>(compareTuples),
  waiting: SortedMap.empty<OrderKey, number>(compareTuples),
  ageing: SortedMap.empty<readonly [number, number], number>(compareTuples),
  delayed: SortedMap.empty<readonly [number, number], number>(compareTuples),
  direct: SortedMap.empty(compareNumbers),
  held: SortedMap.empty(compareNumbers),
  interrupted: SortedMap.empty(compareNumbers),
  line: Line.empty,
  runs: SortedMap.empty(compareTexts),
  runIndex: noRuns,
  bisections: SortedMap.empty(compareTexts),
  tries: SortedMap.empty(compareNumbers),
  merge: null,
  waits: {},
  history: noHistory,
  checkMemory: noMemory,
  adaptive: nothingKnown,
};

export function baseTip(state: QueueState): string | null {
  return state.base.at(-1)?.sha ?? null;
}

export function startsTests(status: QueueStatus): boolean {
  return status === "running";
}

/** A queue that was paused does not merge because its mode changes. */
export function merges({ status, next }: Pick<QueueState, "status" | "next">): boolean {
  return status !== "paused" && next?.status !== "paused";
}

/** The run that decides about a live entry. */
export function runOf(state: QueueState, entry: Entry): TestRun | null {
  return entry.runId === null ? null : (state.runs.get(entry.runId) ?? null);
}

/**
 * What of the run's ahead-set has not merged yet, in order; null when the run is invalid, because the base holds
 * something else than the run's base plus merges of its ahead-set in order. In `parallel` mode merges of what the run
 * does not depend on may lie between; a merge on which it does depend sends it back.
 */
export function remainingAhead(state: QueueState, run: TestRun): readonly number[] | null {
  if (run.base === baseTip(state)) return run.ahead;
  // What leaves the line otherwise than by merging has sent the run back.
  if (usesLanes(state.settings)) return run.ahead.filter((pr) => state.entries.has(pr));
  const merged = mergedSince(state, run);
  const tree = treeOf(run);
  const inOrder = merged?.every((step, index) => step.pr !== null && step.pr === tree[index]) ?? false;
  return merged && inOrder ? run.ahead.slice(merged.length) : null;
}

/** Whether the base is still what the run was started on, plus merges that it knows of. */
export function isValid(state: QueueState, run: TestRun): boolean {
  return usesLanes(state.settings) || remainingAhead(state, run) !== null;
}

/**
 * Whether a test holds for all of what of the run's ahead-set has not merged yet; false when the run is invalid. Cheaper
 * than going through `remainingAhead`, for the long ahead-sets of a crowded lane.
 */
export function everyAhead(state: QueueState, run: TestRun, test: (pr: number) => boolean): boolean {
  if (!usesLanes(state.settings)) return remainingAhead(state, run)?.every(test) ?? false;
  return run.ahead.every((pr) => test(pr) || !state.entries.has(pr));
}

/** The base's tips since the one that the run began with; null when that is not known any more. */
export function mergedSince(state: QueueState, run: TestRun): readonly BaseStep[] | null {
  // The last one: a rewind brings back a tip that the base had before.
  const from = state.base.findLastIndex((step) => step.sha === run.base);
  return from < 0 ? null : state.base.slice(from + 1);
}

/** Whether the base has got merges since the run began that the run does not contain. */
export function isComposed(state: QueueState, run: TestRun): boolean {
  const tree = treeOf(run);
  return mergedSince(state, run)?.some(({ pr }) => pr === null || !tree.includes(pr)) ?? true;
}

/** What a run tests, in the order of merging. Of its members, too, some may have merged when a merge stopped half-way. */
function treeOf({ ahead, members }: TestRun): readonly number[] {
  return [...ahead, ...members];
}

/** Whether the queue is stopped by an obstacle, and goes on when that is gone. */
export function isObstructed({ resumes }: Pick<QueueState, "resumes">): boolean {
  return resumes !== null;
}
