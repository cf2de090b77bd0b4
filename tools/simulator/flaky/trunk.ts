import { day, hour } from "../../../src/flaky/detection/settings.ts";
import { failedIn, forgiveFlaky, hasRun, isOfMain, type Monitor, watchRetries } from "./monitor.ts";
import type { CreateRule } from "./rule.ts";
import type { SimulatedUpload } from "./upload.ts";

/**
 * The rules of Trunk Flaky Tests, by its documentation: https://docs.trunk.io/flaky-tests/detection (with the pages on
 * each monitor, on infrastructure failure protection, and on quarantining), read on 2026-11-23 as it was on 2026-05-20
 * (trunk-io/docs, 73e52a3), with its changelog up to 2026-06-09. Flaky tests are quarantined, broken ones are not.
 *
 * What it leaves open, and what is taken here:
 * - An upload is detected within 20 minutes: at once.
 * - Failure rates are calculated periodically: at each upload of the branches that they watch.
 * - Two cases of one name in a report are two results of one commit. That is a failure and a pass, in whatever order.
 * - Attempts of a job count as runs. One commit that passes on retry is enough, which is the default.
 * - Protection is off until somebody turns it on: it is on, with the default of 80 %.
 * - Where a setting has a range: for flaky tests what flags fewest, for broken ones what finds them soonest and holds them
 *   longest, with windows in which there are enough runs. What is suggested for flaky tests on `main` in two places is what
 *   both allow. `brokenOnMain` has no suggested minimum of runs.
 * - A monitor for the queue's branches is something to consider. It is left out: with it, more healthy tests were taken for
 *   flaky (on the seeds 201 and 202: precision 0.819 in place of 0.945 in the plain world).
 */
export const createTrunkRule: CreateRule = (names, tests) => {
  const rate = (settings: FailureRate) => failureRate(settings, names, tests);
  return whileProtected(
    tests,
    [passOnRetry(), rate(flakyOnMain)],
    [rate(brokenOnMain), rate(brokenOnPullRequests)],
  );
};

/** Without what is off until somebody creates it: all monitors but one. */
export const createTrunkRuleAsItComes: CreateRule = (_names, tests) =>
  whileProtected(tests, [passOnRetry()], []);

interface FailureRate {
  readonly isWatched: (upload: SimulatedUpload) => boolean;
  readonly activation: number;
  /** The same as `activation` where the documentation suggests nothing: it is the default. */
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

/** Resolved by the first check of a day that finds seven days without. */
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

/** A test with too few runs in the window stays as it is. */
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

/** Infrastructure failure protection: an upload of which more than 80 % fail is not looked at. */
function whileProtected(tests: number, flaky: readonly Monitor[], broken: readonly Monitor[]) {
  const protect = (monitor: Monitor): Monitor => ({
    ...monitor,
    see: (upload) => {
      if (upload.failed.length <= 0.8 * tests) monitor.see(upload);
    },
  });
  return forgiveFlaky(flaky.map(protect), broken.map(protect));
}
