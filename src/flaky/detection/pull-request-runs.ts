import type { RunCount } from "./recovery.ts";
import type { DetectionSettings } from "./settings.ts";
import { addFlakyRun, type FlakyRun, isBrokenBySource, notWorsening, type Worsening } from "./worsening.ts";

/**
 * The runs of a flaky test in each pull request in which it failed lately, by the pull request's name. The pull request that ran
 * last is the last one.
 */
export type PullRequestRuns = Readonly<Record<string, Worsening>>;

export const withoutPullRequests: PullRequestRuns = {};

const remembered = 10;

/** Adds one run. Returns the same object if nothing changes. */
export function addPullRequestRun(
  runs: PullRequestRuns,
  run: FlakyRun,
  countRuns: () => RunCount,
  settings: DetectionSettings,
): PullRequestRuns {
  const { kind, name } = run.source;
  if (kind !== "pr") return runs;
  const { [name]: before = notWorsening, ...others } = runs;
  const after = addFlakyRun(before, run, countRuns, settings);
  if (after === before) return runs;
  if (after.score === 0) return others;
  return Object.fromEntries([...Object.entries(others), [name, after]].slice(-remembered));
}

/** The pull requests that have probably broken the test: it fails there more often than its flakiness explains. */
export function pullRequestsThatBreak(runs: PullRequestRuns, settings: DetectionSettings): readonly string[] {
  return Object.entries(runs)
    .filter(([, worsening]) => isBrokenBySource(worsening, settings))
    .map(([name]) => name);
}
