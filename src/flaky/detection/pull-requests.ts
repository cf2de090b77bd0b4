import type { RunCount } from "./recovery.ts";
import {
  addFlakyRun,
  type FlakyRun,
  isBrokenBySource,
  notWorsening,
  type Worsening,
} from "./sequential-tests.ts";
import type { DetectionSettings } from "./settings.ts";

/**
 * The runs of a flaky test in each pull request in which it failed lately, by the pull request's name. Pull requests are in the order of
 * their last runs.
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

/** Where a run's tests came from: a pull request, a stable branch, or a test branch of the merge queue. */
export interface RunSource {
  readonly kind: "pr" | "stable" | "queue";
  /** Equal for runs that may fail because of the same change. */
  readonly name: string;
  /**
   * Its changes that are on no stable branch: pull requests, first commits and trees. Sources that share one may have one cause. Absent =
   * unknown.
   */
  readonly changes?: readonly string[];
}

/** @param treeSha names the source of a run that does not belong to a pull request, because each tree may have changes of its own */
export function sourceOf({
  kind,
  pr,
  branch,
  treeSha,
}: {
  readonly kind: RunSource["kind"];
  readonly pr: number | null;
  readonly branch: string;
  readonly treeSha: string;
}): RunSource {
  if (kind === "pr") return { kind, name: pr === null ? branch : pullRequestName(pr) };
  return { kind, name: treeSha };
}

export function pullRequestName(pr: number): string {
  return `#${pr}`;
}
