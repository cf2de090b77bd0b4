import { day, hour } from "../../../src/flaky/detection/settings.ts";
import {
  type CreateRule,
  failedIn,
  forgiveFlaky,
  hasRun,
  isOfMain,
  type Monitor,
  type SimulatedUpload,
  watchRetries,
} from "./rule.ts";

/**
 * The rules of Trunk Flaky Tests, by its documentation: https://docs.trunk.io/flaky-tests/detection (with the pages on each
 * monitor, on infrastructure failure protection, and on quarantining), read on 2026-11-23 in the version of 2026-05-20
 * (trunk-io/docs, 73e52a3), with its changelog up to 2026-06-09. Flaky tests are quarantined; broken ones are not.
 *
 * The documentation leaves some points open. The assumptions are:
 * - An upload is detected within 20 minutes: here at once.
 * - Failure rates are calculated periodically: here at each upload of a watched branch.
 * - Two cases with the same name in a report are two results of one commit. That is a failure and a pass, in either order.
 * - Attempts of a job count as runs. One commit that passes on retry is enough, which is the default.
 * - Infrastructure failure protection is off by default. Here it is on, with the default of 80 %.
 * - Where a setting has a range: for flaky tests, the values that flag the fewest tests; for broken ones, the values that find
 *   them soonest and hold them longest, with windows that contain enough runs. For flaky tests on `main`, two pages make
 *   suggestions; the values satisfy both. `brokenOnMain` has no suggested minimum number of runs.
 * - The documentation suggests considering a monitor for the queue's branches. It is left out: with it, more healthy tests were
 *   marked as flaky (with seeds 201 and 202: precision 0.819 instead of 0.945 in the plain world).
 */
export const createTrunkRule: CreateRule = (names, tests) => {
  const rate = (settings: FailureRate) => failureRate(settings, names, tests);
  return whileProtected(
    tests,
    [passOnRetry(), rate(flakyOnMain)],
    [rate(brokenOnMain), rate(brokenOnPullRequests)],
  );
};

/** Uses only what is on by default: a single monitor. */
export const createTrunkRuleAsItComes: CreateRule = (_names, tests) =>
  whileProtected(tests, [passOnRetry()], []);

interface FailureRate {
  readonly isWatched: (upload: SimulatedUpload) => boolean;
  readonly activation: number;
  /** Equal to `activation`, the default, where the documentation suggests no value. */
  readonly resolution: number;
  readonly window: number;
  readonly leastRuns: number;
}

const flakyOnMain: FailureRate = {
  ...{ isWatched: isOfMain, activation: 0.2, resolution: 0.1 },
  ...{ window: 24 * hour, leastRuns: 20 },
};

const brokenOnMain: FailureRate = {
  ...{ isWatched: isOfMain, activation: 0.8, resolution: 0.8 },
  ...{ window: 6 * hour, leastRuns: 5 },
};

const brokenOnPullRequests: FailureRate = {
  ...{ isWatched: ({ kind }) => kind === "pr", activation: 0.7, resolution: 0.4 },
  ...{ window: 12 * hour, leastRuns: 30 },
};

/** Resolved by the first daily check that finds seven days without a pass on retry. */
function passOnRetry(): Monitor {
  const find = watchRetries("head");
  const last = new Map<number, number>();
  let checked = 0;
  return {
    see: (upload) => {
      for (const test of find(upload)) last.set(test, upload.at);
    },
    active: (at) => {
      const check = Math.floor(at / day) * day;
      if (check > checked) for (const [test, seen] of last) if (check - seen >= 7 * day) last.delete(test);
      checked = check;
      return last;
    },
  };
}

/** A test with too few runs in the window keeps its state. */
function failureRate(settings: FailureRate, names: number, tests: number): Monitor {
  const { isWatched, activation, resolution, window, leastRuns } = settings;
  const recent: SimulatedUpload[] = [];
  const failures = new Map<number, number>();
  const active = new Set<number>();
  const count = (upload: SimulatedUpload, change: 1 | -1) => {
    for (const test of failedIn(upload)) failures.set(test, (failures.get(test) ?? 0) + change);
  };
  const runsOf = (test: number) =>
    names === tests ? recent.length : recent.filter((upload) => hasRun(upload, test, tests)).length;
  return {
    see: (upload) => {
      if (!isWatched(upload)) return;
      recent.push(upload);
      count(upload, 1);
      for (let [oldest] = recent; oldest && oldest.at <= upload.at - window; [oldest] = recent) {
        count(oldest, -1);
        recent.shift();
      }
      for (const [test, failed] of failures) {
        const runs = runsOf(test);
        if (runs < leastRuns) continue;
        if (failed >= activation * runs) active.add(test);
        else if (failed < resolution * runs) active.delete(test);
        if (failed === 0 && !active.has(test)) failures.delete(test);
      }
    },
    active: () => active,
  };
}

/** Infrastructure failure protection: ignores an upload in which more than 80 % of the tests fail. */
function whileProtected(tests: number, flaky: readonly Monitor[], broken: readonly Monitor[]) {
  const protect = (monitor: Monitor): Monitor => ({
    ...monitor,
    see: (upload) => {
      if (upload.failed.length <= 0.8 * tests) monitor.see(upload);
    },
  });
  return forgiveFlaky(flaky.map(protect), broken.map(protect));
}
