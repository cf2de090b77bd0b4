import { ApiError, isTransient } from "../client/errors.ts";
import { entryStates, isTerminal } from "../engine/model/entry.ts";
import type { Entry, Outcome, Step, Verdict } from "./step.ts";
import { describeProgress } from "./summary.ts";

/** The time between two polls: the first one, and the factor by which it grows. After a change, another one is likely to follow soon. */
const pauses = { first: 500, factor: 1.5 };
const defaultLongestPauseMs = 15_000;
const complaintMs = 60_000;

interface FollowOptions {
  readonly timeoutMs: number;
  /** The longest time between two polls. Default: 15,000. */
  readonly longestPauseMs?: number;
  /** Called with the entry of every poll, including the first. */
  readonly show?: (entry: Entry) => Promise<void>;
}

export interface Followed {
  readonly entry: Entry;
  readonly ended: "terminal" | "timeout" | "interrupted";
}

/** Loads the pull request's queue entry. @throws ApiError `NEVER_SUBMITTED` */
function loadEntry({ client, subject }: Step): Promise<Entry> {
  return client.getSubmittedPullRequest({ ...subject.queue, pr: { number: subject.pr } });
}

/** Polls a pull request until it has left the queue, and logs every change. Polling goes on while the service does not answer. */
export async function follow(
  first: Entry,
  step: Step,
  { timeoutMs, longestPauseMs = defaultLongestPauseMs, show }: FollowOptions,
): Promise<Followed> {
  const { clock, runner, signal } = step;
  const progress = new Progress();
  const deadline = clock.now() + timeoutMs;
  let entry = first;
  let pause = pauses.first;
  let complainedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const line = progress.lineFor(entry, clock.now());
    if (line !== null) runner.log(line);
    await show?.(entry);
    if (hasEnded(entry)) return { entry, ended: "terminal" };
    if (signal.aborted) return { entry, ended: "interrupted" };
    const left = deadline - clock.now();
    if (left <= 0) return { entry, ended: "timeout" };
    await clock.sleep(Math.min(pause, left), signal);
    const next = signal.aborted ? entry : await look();
    pause = hasChanged(entry, next) ? pauses.first : Math.min(pause * pauses.factor, longestPauseMs);
    entry = next;
  }

  async function look(): Promise<Entry> {
    try {
      return await loadEntry(step);
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (clock.now() - complainedAt >= complaintMs) {
        complainedAt = clock.now();
        runner.log(`${error.message} Still waiting.`);
      }
      return entry;
    }
  }
}

/** Unknown states of a newer service count as the end if the pull request is not in the queue. */
function hasEnded({ state, isCurrentlySubmittedToQueue }: Entry): boolean {
  return entryStates.includes(state) ? isTerminal(state) : !isCurrentlySubmittedToQueue;
}

export function verdictOf({ entry: { state }, ended }: Followed): Verdict {
  if (state === "merged" || state === "failed" || state === "cancelled") return state;
  if (ended === "terminal") return "unknown";
  return ended === "interrupted" ? "interrupted" : "timed-out";
}

function hasChanged(before: Entry, after: Entry): boolean {
  return before.stateChangedAt !== after.stateChangedAt || before.position !== after.position;
}

const reminderMs = 60_000;

/** The log lines of a step that waits: one for every change of state, position or reason, and a reminder each minute. */
export class Progress {
  #shown = "";
  #shownAt = 0;

  /** The line to log now; null = none. */
  lineFor(entry: Entry, now: number): string | null {
    const key = `${entry.state} ${entry.position} ${entry.reason}`;
    const isNews = key !== this.#shown;
    if (!isNews && now - this.#shownAt < reminderMs) return null;
    this.#shown = key;
    this.#shownAt = now;
    return `#${entry.prNumber} is ${isNews ? "" : "still "}${describeProgress(entry, now)}`;
  }
}

/** The queue's entry for the pull request; null when it was never submitted. */
export async function loadSubmitted(step: Step): Promise<Entry | null> {
  try {
    return await loadEntry(step);
  } catch (error) {
    if (error instanceof ApiError && error.code === "NEVER_SUBMITTED") return null;
    throw error;
  }
}

/** @param consequence completes the message, such as `there is nothing to follow` */
export function neverSubmitted({ subject: { pr, queue } }: Step, consequence: string): Outcome {
  return {
    verdict: "never-submitted",
    isFailure: false,
    title: "Not in the queue",
    message: `#${pr} was never submitted to the queue of ${queue.targetBranch}; ${consequence}.`,
    outputs: {},
    details: [],
  };
}
