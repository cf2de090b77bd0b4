import { compareNumbers, compareTexts, compareTuples, SortedMap } from "../collections/sorted-map.ts";
import type { Reason } from "../reasons/reason.ts";
import { type History, noHistory } from "./capacity/history.ts";
import type { Strategy } from "./capacity/strategy.ts";
import { type CheckMemory, noMemory } from "./checks/check-memory.ts";
import type { Entry } from "./entry.ts";
import type { MergeAttempt, QueueRefusal } from "./merge-attempt.ts";
import type { Freeze } from "./order/freeze.ts";
import { Line } from "./order/line.ts";
import type { OrderedWork, Wait } from "./order/wait.ts";
import { noPolicyMemory, type PolicyMemory } from "./policy-memory.ts";
import { noRuns, type RunIndex } from "./run-index.ts";
import { defaultSettings, type QueueSettings, usesLanes } from "./settings.ts";
import type { Lull, Stall } from "./stall.ts";
import type { TestRun } from "./test-run.ts";
import type { Try } from "./tries/try.ts";

export type QueueStatus =
  /** Tests start, passed entries merge. */
  | "running"
  /** No test starts and nothing merges. Running tests finish. Submissions are accepted. */
  | "paused"
  /** No test starts. Running tests finish, and passed entries merge. */
  | "draining"
  /** Like `draining`, or like `paused` if the queue was paused. When no test is in flight any more, the new mode begins. */
  | "switching_modes";

/** The next mode, the next policy if it changes, and the status of the queue after the switch. */
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

/** A branch, as the code host names it at some time. */
export interface NamedBranch {
  readonly repo: RepositoryRef;
  readonly branch: string;
}

/** Whether two names are written in the same way. */
export function isSamePlace(a: NamedBranch, b: NamedBranch): boolean {
  const written = ({ repo: { host, owner, name }, branch }: NamedBranch) => [host, owner, name, branch];
  return JSON.stringify(written(a)) === JSON.stringify(written(b));
}

/** A SHA that the base had, and the pull request whose merge made it; null for a move from outside. */
export interface BaseStep {
  readonly sha: string;
  readonly pr: number | null;
  /** For a merge by the queue, when it was ordered, so that the base got this SHA later. For a move from outside, when it was seen. */
  readonly since: number;
}

/** `[priority, submitted at, pull request]`: the order in which entries are considered. */
export type OrderKey = readonly [priority: number, submittedAt: number, pr: number];

/** The state of one queue, as a fold over its events. Never mutated. */
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
  /** How its tests are ordered. It follows the settings once no test or merge is in flight. */
  readonly strategy: Strategy;
  /** The status that the queue gets once the obstacle that stops it is gone; null = no obstacle stops it. */
  readonly resumes: "running" | "draining" | null;
  /** While it lasts, only urgent entries merge; null = there is none. */
  readonly freeze: Freeze | null;
  /** The time without a merge so far; null = nothing waits that could merge. */
  readonly lull: Lull | null;
  /** Raised when nothing merges for too long; null = there is none. */
  readonly stall: Stall | null;
  /** The mode that the queue switches to, while its status is `switching_modes`. */
  readonly next: NextMode | null;
  /** The known SHAs of the base, oldest first; the last one is current. Empty until the base is read. */
  readonly base: readonly BaseStep[];
  /** The event that last moved the base: an observation made before it is stale. */
  readonly baseSeq: number;
  /** Live entries by pull request. */
  readonly entries: SortedMap<number, Entry>;
  /** Live entries that are not ready; those that have not been ready for the longest time come first. */
  readonly unready: SortedMap<readonly [stateChangedAt: number, pr: number], number>;
  /** Pending entries that may start, in order. */
  readonly waiting: SortedMap<OrderKey, number>;
  /** The entries of `waiting` that better priorities can still overtake; the oldest submission comes first. */
  readonly ageing: SortedMap<readonly [orderTime: number, pr: number], number>;
  /** Pending entries that are retried later, by time. */
  readonly delayed: SortedMap<readonly [retryAt: number, pr: number], number>;
  /** Pending entries that may merge without a test run. */
  readonly direct: SortedMap<number, number>;
  /** Pending entries whose build conflicted with entries ahead. */
  readonly held: SortedMap<number, number>;
  /** Live entries whose tests were cancelled so often in a row that the queue runs one test at a time. */
  readonly interrupted: SortedMap<number, number>;
  /** The line: entries whose run has started, in the order in which they will merge. */
  readonly line: Line;
  readonly runs: SortedMap<string, TestRun>;
  readonly runIndex: RunIndex;
  /** Pull requests that are tested without being queued. */
  readonly tries: SortedMap<number, Try>;
  /** The run that tests the base alone (see `BaseTestEvent`); null = there is none. */
  readonly baseTest: TestRun | null;
  readonly merge: MergeAttempt | null;
  /** The last refusal that may affect others, too; absent if others were merged or built since. */
  readonly lastRefusal?: QueueRefusal | undefined;
  /** Why work ordered from the code host has to wait. */
  readonly waits: Readonly<Partial<Record<OrderedWork, Wait>>>;
  readonly history: History;
  readonly checkMemory: CheckMemory;
  readonly policyMemory: PolicyMemory;
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
  lull: null,
  stall: null,
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
  tries: SortedMap.empty(compareNumbers),
  baseTest: null,
  merge: null,
  waits: {},
  history: noHistory,
  checkMemory: noMemory,
  policyMemory: noPolicyMemory,
};

export function baseTip(state: QueueState): string | null {
  return state.base.at(-1)?.sha ?? null;
}

export function startsTests(status: QueueStatus): boolean {
  return status === "running";
}

/** Whether passed entries may merge. A paused queue does not merge while it switches modes, either. */
export function merges({ status, next }: Pick<QueueState, "status" | "next">): boolean {
  return status !== "paused" && next?.status !== "paused";
}

/** Whether the queue has recently merged a pull request: while its merge is among the known steps of the base. */
export function hasMerged({ base }: Pick<QueueState, "base">, pr: number): boolean {
  return base.some((step) => step.pr === pr);
}

/** The run by which the queue merged last, while some of its members have yet to merge; null if there is none. */
export function halfMergedRun({ base, entries, runs }: QueueState): TestRun | null {
  const last = base.at(-1)?.pr ?? null;
  if (last === null) return null;
  for (const run of runs.values()) {
    if (run.members.includes(last) && run.members.some((pr) => entries.has(pr))) return run;
  }
  return null;
}

/** @throws if the base has not been read yet */
export function requireBaseTip(state: QueueState): string {
  const tip = baseTip(state);
  if (tip === null) throw new Error(`the base of queue ${state.id} is not known`);
  return tip;
}

/** Returns a live entry. @throws if it is not in the queue */
export function requireEntry(state: QueueState, pr: number): Entry {
  const entry = state.entries.get(pr);
  if (!entry) throw new Error(`#${pr} is not in queue ${state.id}`);
  return entry;
}

/** @throws if the run is not in the queue */
export function requireRun(state: QueueState, runId: string): TestRun {
  const run = state.runs.get(runId);
  if (!run) throw new Error(`run ${runId} is not in queue ${state.id}`);
  return run;
}

/** The run that decides about a live entry. */
export function runOf(state: QueueState, entry: Entry): TestRun | null {
  return entry.runId === null ? null : (state.runs.get(entry.runId) ?? null);
}

/**
 * Returns the pull requests of the run's ahead-set that have not merged yet, in order. Returns null if the run is invalid: the
 * base is not the run's base plus merges of its ahead-set in order. In `parallel` mode, other merges that the run does not
 * depend on are allowed in between; a merge that it depends on sends its members back.
 */
export function remainingAhead(state: QueueState, run: TestRun): readonly number[] | null {
  if (run.base === baseTip(state)) return run.ahead;
  // An entry that left the queue without a merge has already sent the run's members back.
  if (usesLanes(state.settings)) return run.ahead.filter((pr) => state.entries.has(pr));
  const merged = mergedSince(state, run);
  const tree = treeOf(run);
  const inOrder = merged?.every((step, index) => step.pr !== null && step.pr === tree[index]) ?? false;
  return merged && inOrder ? run.ahead.slice(merged.length) : null;
}

/** Whether the base is still the run's base, plus merges that the run contains. */
export function isValid(state: QueueState, run: TestRun): boolean {
  return usesLanes(state.settings) || remainingAhead(state, run) !== null;
}

/**
 * Whether a predicate holds for all unmerged pull requests of the run's ahead-set; false if the run is invalid. Cheaper than
 * iterating `remainingAhead`, because the ahead-sets of a crowded lane are long.
 */
export function everyAhead(state: QueueState, run: TestRun, test: (pr: number) => boolean): boolean {
  if (!usesLanes(state.settings)) return remainingAhead(state, run)?.every(test) ?? false;
  return run.ahead.every((pr) => test(pr) || !state.entries.has(pr));
}

/** The steps of the base since the SHA that the run was started on; null if that SHA is no longer known. */
export function mergedSince(state: QueueState, run: TestRun): readonly BaseStep[] | null {
  // A rewind can bring back an earlier SHA of the base, so the last occurrence counts.
  const from = state.base.findLastIndex((step) => step.sha === run.base);
  return from < 0 ? null : state.base.slice(from + 1);
}

/** Whether the base has merges since the start of the run that the run does not contain. */
export function isComposed(state: QueueState, run: TestRun): boolean {
  const tree = treeOf(run);
  return mergedSince(state, run)?.some(({ pr }) => pr === null || !tree.includes(pr)) ?? true;
}

/** The pull requests that a run tests, in merge order. If a merge stopped half-way, some of the members may have merged, too. */
function treeOf({ ahead, members }: TestRun): readonly number[] {
  return [...ahead, ...members];
}

/** Whether an obstacle stops the queue, which resumes by itself once the obstacle is gone. */
export function isObstructed({ resumes }: Pick<QueueState, "resumes">): boolean {
  return resumes !== null;
}
