import { type Entry, orderTimeOf } from "../../../../src/engine/model/entry.ts";
import type { MergeAttempt } from "../../../../src/engine/model/merge-attempt.ts";
import type { QueueState } from "../../../../src/engine/model/queue.ts";
import { type QueueSettings, settingInUse } from "../../../../src/engine/model/settings.ts";
import type { Targets } from "../../../../src/engine/model/targets.ts";
import type { StartedRun } from "../../../../src/engine/model/test-run.ts";
import { policyOf } from "../../../../src/engine/policies/policy-of.ts";
import type { Violations } from "../../../../src/replay/engine-run/watches.ts";
import { type Content, numberOf } from "../code-host.ts";
import { impactTheSame } from "../scenario.ts";

/** Maximum batch size by load, for any length of the queue. */
const largestByLoad = 12;

/** Judges a run that starts: the caps, its size, and the entries that it overtakes. */
export function checkRun(violations: Violations, before: QueueState, run: StartedRun): void {
  const { settings } = before;
  const cap = run.kind === "main" ? "concurrency" : "bisectionConcurrency";
  const running = countActive(before, run.kind) + 1;
  if (running > settingInUse(settings, cap))
    violations.add("I10", `${running} ${run.kind} runs at once, but at most ${settings[cap]} may run`);
  const { ahead, members } = run;
  if (members.length === 0 || new Set([...ahead, ...members]).size < ahead.length + members.length)
    violations.add("I10", `run ${run.id} has the members ${members} on ${ahead}`);
  if (run.kind === "bisection" || policyOf(before).name !== "fixed") return;
  const entries = members.flatMap((pr) => before.entries.get(pr) ?? []);
  const goesAlone = entries.some(({ noBatch, priority }) => noBatch || priority.value === 0);
  const size = settings.batch && !goesAlone ? largestBatch(settings) : 1;
  if (members.length > size)
    violations.add("I10", `a batch of ${members.length}, but ${size} may go together`);
  for (const entry of entries) checkOvertaking(violations, before, entry, members);
}

function largestBatch(settings: QueueSettings): number {
  return settings.batchSizing === "by_load" ? largestByLoad : settingInUse(settings, "batchingMinSize");
}

function checkOvertaking(
  violations: Violations,
  before: QueueState,
  entry: Entry,
  members: readonly number[],
): void {
  for (const other of before.entries.values()) {
    if (members.includes(other.pr) || !isWaiting(other) || !depend(before, other, entry)) continue;
    if (goesBefore(other, entry)) violations.add("I11", `#${entry.pr} started before #${other.pr}`);
  }
}

/** Judges the order of a merge: no dependency of a step may stay behind it in the line. */
export function checkMergeOrder(
  violations: Violations,
  before: QueueState,
  { steps, direct }: Pick<MergeAttempt, "steps" | "direct">,
): void {
  const prs = steps.map(({ pr }) => pr);
  for (const [index, pr] of prs.entries()) {
    const entry = before.entries.get(pr);
    for (const aheadPr of direct ? before.line : [...before.line].slice(0, before.line.indexOf(pr))) {
      const ahead = before.entries.get(aheadPr);
      // A pull request that is being retested does not block others.
      if (!entry || !ahead || ahead.doubted !== undefined || prs.slice(0, index).includes(aheadPr)) continue;
      if (depend(before, entry, ahead)) violations.add("I11", `#${pr} merges before #${aheadPr}`);
    }
  }
}

/** Returns an entry that has waited for the maximum time and that better priorities can still overtake; null = there is none. */
export function findLeftBehind({ entries, settings, deleted }: QueueState, now: number): number | null {
  const longest = settingInUse(settings, "priorityMaxWaitTimeMinutes") * 60_000;
  const waiting = deleted ? [] : [...entries.values()].filter(isWaiting);
  const left = waiting.find(
    (entry) => !entry.aged && entry.priority.value > 0 && orderTimeOf(entry) + longest <= now,
  );
  return left?.pr ?? null;
}

/** Returns the first waiting entry if nothing prevents its test although a slot is free; null = all is well. */
export function findIdleSlot(state: QueueState, now: number): number | null {
  const { settings } = state;
  if (state.status !== "running" || state.base.length === 0 || state.deleted) return null;
  const isFull = isSerial(state)
    ? countActive(state, "main") + countActive(state, "bisection") + (state.baseTest ? 1 : 0) >= 1
    : countActive(state, "main") >= settingInUse(settings, "concurrency");
  if (isFull) return null;
  const [first] = [...state.entries.values()].filter(isWaiting).sort((a, b) => (goesBefore(a, b) ? -1 : 1));
  if (!first) return null;
  const undecided = [...state.entries.values()].filter(
    ({ bisectionId, directOnto }) => bisectionId !== null || directOnto !== undefined,
  );
  const blocked = undecided.some((other) => depend(state, other, first));
  const mayFill =
    settings.batch &&
    settings.batchSizing === "minimum" &&
    settings.batchingMinSize > 1 &&
    !first.noBatch &&
    first.priority.value > 0;
  const wait = settingInUse(settings, "batchingMaxWaitTimeMinutes") * 60_000;
  return blocked || (mayFill && first.submittedAt + wait > now) ? null : first.pr;
}

/**
 * Only one test runs at a time after two cancelled tests of an entry in a row, and while nothing passes. After several failures, a test of
 * the base may take the only slot.
 */
function isSerial({ entries, history, baseTest }: QueueState): boolean {
  if (baseTest !== null && (history.failing.length >= 3 || history.redRuns >= 2)) return true;
  const isCancelled = [...entries.values()].some(({ cancelledRuns = 0 }) => cancelledRuns >= 2);
  return isCancelled || history.redSince !== null;
}

function isWaiting({ state, runId, bisectionId, directOnto, retryAt, heldBehind }: Entry): boolean {
  const isFree = runId === null && bisectionId === null && directOnto === undefined;
  return state === "pending" && isFree && retryAt === null && heldBehind.length === 0;
}

/**
 * Order of entries: urgent ones, then those that have waited too long, then by priority. Ties are ordered by submission or
 * retest.
 */
function goesBefore(one: Entry, other: Entry): boolean {
  const rank = ({ priority, aged }: Entry) => (aged && priority.value > 0 ? 0.5 : priority.value);
  const key = (entry: Entry) => [rank(entry), orderTimeOf(entry), entry.pr];
  const [a, b] = [key(one), key(other)];
  const index = a.findIndex((value, place) => value !== b[place]);
  return (a[index] ?? 0) < (b[index] ?? 0);
}

function depend({ settings }: QueueState, one: Entry, other: Entry): boolean {
  return settings.mode === "single" || impactTheSame(one.targets, other.targets);
}

function countActive({ runs }: QueueState, kind: StartedRun["kind"]): number {
  return [...runs.values()].filter((run) => run.kind === kind && ["building", "running"].includes(run.state))
    .length;
}

interface Green {
  /** All tested content, the base's content first. */
  readonly content: Content;
  readonly ahead: readonly number[];
  /** The pull requests that it decides about, without those that are only ahead of them. */
  readonly members: readonly number[];
}

/** Records what CI has found good, and judges whether that allows a merge. */
export class Proofs {
  readonly #greens = new Map<string, Green>();
  /** The targets of each pull request that the queue knew last. */
  readonly #targets = new Map<number, Targets>();
  readonly #fromOutside = new Set<string>();

  pass(runId: string, green: Green): void {
    this.#greens.set(runId, green);
  }

  target(pr: number, targets: Targets | null): void {
    this.#targets.set(pr, targets ?? "ALL");
  }

  /** Records a merge outside of the queue. */
  mergeByHand(item: string): void {
    this.#fromOutside.add(item);
  }

  /** Whether that run passed and its commit contains the pull request ahead of the members. */
  isVouched(runId: string | null, pr: number): boolean {
    return this.#greens.get(runId ?? "")?.ahead.includes(pr) ?? false;
  }

  /**
   * Whether a green run contains the item on exactly the part of the base that it depends on.
   * @param own whether only runs that decide about the item count, because successors do not count
   */
  allows(base: Content, item: string, mode: "single" | "parallel", own: boolean): boolean {
    const relevant = (other: string) => mode === "single" || this.#depends(other, item);
    const wanted = base.filter(relevant).toSorted().join();
    return [...this.#greens.values()].some(({ content, members }) => {
      const place = content.indexOf(item);
      if (place < 0 || (own && !members.includes(numberOf(item)))) return false;
      return content.slice(0, place).filter(relevant).toSorted().join() === wanted;
    });
  }

  /** Changes from outside impact everything. */
  #depends(other: string, item: string): boolean {
    if (this.#fromOutside.has(other) || numberOf(other) < 0) return true;
    return impactTheSame(this.#targets.get(numberOf(other)), this.#targets.get(numberOf(item)));
  }
}
