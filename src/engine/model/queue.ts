import { compareNumbers, compareTexts, compareTuples, SortedMap } from "../collections/sorted-map.ts";
import type { Reason } from "../reasons/reason.ts";
import { type History, noHistory } from "./capacity/history.ts";
import { type CheckMemory, noMemory } from "./checks/required-checks.ts";
import type { Entry } from "./entry.ts";
import type { MergeAttempt, QueueRefusal } from "./merge-attempt.ts";
import type { Freeze, Lull, OrderedWork, Stall, Wait } from "./order/delay.ts";
import { Line } from "./order/line.ts";
import { defaultSettings, type QueueSettings, type Strategy } from "./settings.ts";

import { isActive, type TestRun } from "./test-run.ts";
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

/** Indexes of the queue's runs, besides the one by id. */
export interface RunIndex {
  /** The number of runs that occupy a slot. */
  readonly active: Readonly<Record<TestRun["kind"], number>>;
  /** The running runs that have a deadline; the earliest deadline comes first. */
  readonly deadlines: SortedMap<readonly [deadline: number, runId: string], string>;
  /** The runs of each bisection. */
  readonly probes: SortedMap<string, readonly string[]>;
}

export const noRuns: RunIndex = {
  active: { main: 0, bisection: 0 },
  deadlines: SortedMap.empty<readonly [number, string], string>(
    (a, b) => a[0] - b[0] || compareTexts(a[1], b[1]),
  ),
  probes: SortedMap.empty(compareTexts),
};

declare const opaque: unique symbol;

/** What a policy remembers about a queue. Only `policies/` knows what is in it. */
export interface PolicyMemory {
  readonly [opaque]?: never;
}

/** The memory of a queue whose policy has learned nothing yet. */
export const noPolicyMemory: PolicyMemory = {};

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
  /** The time without a merge so far; null = no waiting entry could merge. */
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

export function runOf(state: QueueState, entry: Entry): TestRun | null {
  return entry.runId === null ? null : (state.runs.get(entry.runId) ?? null);
}

/** Whether an obstacle stops the queue, which resumes by itself once the obstacle is gone. */
export function isObstructed({ resumes }: Pick<QueueState, "resumes">): boolean {
  return resumes !== null;
}

export function tryOfRun({ tries }: Pick<QueueState, "tries">, runId: string): Try | undefined {
  if (tries.size === 0) return undefined;
  for (const one of tries.values()) if (one.run?.id === runId) return one;
  return undefined;
}

type Tested = Pick<QueueState, "runs" | "tries" | "baseTest">;

/** Returns the try of a run. @throws if the run is not that of a try */
export function requireTry(state: QueueState, run: TestRun): Try {
  const tried = tryOfRun(state, run.id);
  if (!tried) throw new Error(`run ${run.id} is not that of a try in queue ${state.id}`);
  return tried;
}

/** Finds a run of an entry, of a try or of the base by its id. */
export function findRun(state: Tested, runId: string): TestRun | undefined {
  const { runs, baseTest } = state;
  return runs.get(runId) ?? tryOfRun(state, runId)?.run ?? (baseTest?.id === runId ? baseTest : undefined);
}

/** Why a live run is tested: to merge entries, to try a pull request, or to tell whether the base passes by itself. */
export type RunPurpose = "entries" | "try" | "base";

export function purposeOf({ runs, baseTest }: Tested, { id }: TestRun): RunPurpose {
  if (runs.has(id)) return "entries";
  return baseTest?.id === id ? "base" : "try";
}

export function* allRuns({ runs, tries, baseTest }: Tested): Generator<TestRun> {
  yield* runs.values();
  for (const { run } of tries.values()) if (run) yield run;
  if (baseTest) yield baseTest;
}

/** The number of tries that occupy a slot. */
export function countActiveTries({ tries }: Pick<QueueState, "tries">): number {
  let count = 0;
  for (const { run } of tries.values()) if (run && isActive(run)) count += 1;
  return count;
}
