import { retryTimeOf } from "./fold/entry-index.ts";
import { nextAgeing } from "./lifecycle/requeue.ts";
import { nextBaseTestDeadline } from "./lifecycle/testing/base-test.ts";
import { nextTryDeadline } from "./lifecycle/testing/tries.ts";
import { expiryOf } from "./model/checks/run-checks.ts";
import { allRuns, type QueueState, requireEntry, requireRun, startsTests } from "./model/queue.ts";
import { readinessTimeoutMs } from "./model/settings.ts";
import { blockerOf, stallTime } from "./model/stall.ts";
import type { TestRun } from "./model/test-run.ts";

import { policyOf } from "./policies/policy-of.ts";

/** Returns when the passing of time next changes something, in milliseconds since the epoch; null = never. */
export function nextDeadline(state: QueueState): number | null {
  const times: number[] = [];
  const unready = state.unready.first();
  if (unready !== undefined)
    times.push(requireEntry(state, unready).stateChangedAt + readinessTimeoutMs(state.settings));
  const delayed = state.delayed.first();
  if (delayed !== undefined) times.push(retryTimeOf(requireEntry(state, delayed)));
  const ageing = nextAgeing(state);
  if (ageing !== null) times.push(ageing);
  const batch = startsTests(state.status) ? policyOf(state).nextDeadline(state) : null;
  if (batch !== null) times.push(batch);
  const running = state.runIndex.deadlines.first();
  const expiry = expiryOf(state, running === undefined ? null : requireRun(state, running));
  if (expiry !== null) times.push(expiry);
  if (state.freeze !== null) times.push(state.freeze.until);
  const stall = stallTime(state);
  if (stall !== null) times.push(stall);
  const tried = nextTryDeadline(state);
  if (tried !== null) times.push(tried);
  const base = nextBaseTestDeadline(state);
  if (base !== null) times.push(base);
  return times.length === 0 ? null : Math.min(...times);
}

/** Whether nothing is in the queue, and nothing changes in it until somebody does something. */
export function isIdle(state: QueueState): boolean {
  const { entries, tries, runs, baseTest, merge } = state;
  return entries.size + tries.size + runs.size === 0 && !baseTest && !merge && nextDeadline(state) === null;
}

/** What has timed out at a given time. */
export interface TimingOut {
  readonly runs: readonly TestRun[];
  /** The numbers of the pull requests that have not become ready in time. */
  readonly unready: readonly number[];
  /** The pull request that the alarm names when a stall is noticed; null = none is. */
  readonly blocker: number | null;
}

/** @param now in milliseconds since the epoch */
export function timingOut(state: QueueState, now: number): TimingOut {
  const isOver = (time: number | null) => time !== null && time <= now;
  const readyBy = (pr: number) => requireEntry(state, pr).stateChangedAt + readinessTimeoutMs(state.settings);
  return {
    runs: [...allRuns(state)].filter((run) => isOver(expiryOf(state, run))),
    unready: [...state.unready.values()].filter((pr) => isOver(readyBy(pr))),
    blocker: isOver(stallTime(state)) ? blockerOf(state) : null,
  };
}
