import type { TestHistory } from "./history.ts";
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

/**
 * Limits the number of tests that the flips of one pull request count against. If many tests fail now and then in one pull request,
 * its own change is the cause, and these tests would use up the whole quarantine budget.
 */
export class PullRequestShare {
  readonly #histories: ReadonlyMap<number, TestHistory>;
  readonly #settings: DetectionSettings;
  /** The tests with flips in a pull request, by the pull request's name. */
  readonly #tests = new Map<string, Set<number>>();

  constructor(histories: ReadonlyMap<number, TestHistory>, settings: DetectionSettings) {
    this.#histories = histories;
    this.#settings = settings;
  }

  /** Whether a flip of the test counts. */
  take({ kind, name }: RunSource, sk: number, at: number): boolean {
    if (kind !== "pr") return true;
    const tests = this.#tests.get(name) ?? this.#recall(name, at);
    this.#tests.set(name, tests);
    if (!tests.has(sk) && tests.size >= this.#settings.independent.mostTests) return false;
    tests.add(sk);
    return true;
  }

  #recall(name: string, at: number): Set<number> {
    const tests = new Set<number>();
    for (const [sk, { lines }] of this.#histories)
      for (const { episodes } of Object.values(lines))
        for (const episode of episodes)
          if (
            at - episode.at < this.#settings.flips.window &&
            episode.sources.some((one) => one.name === name)
          )
            tests.add(sk);
    return tests;
  }
}

/** Where a run's tests came from: a pull request, a stable branch, or a test branch of the merge queue. */
export interface RunSource {
  readonly kind: "pr" | "stable" | "queue";
  /** Equal for runs that may fail because of the same change. */
  readonly name: string;
}

/** @param treeSha names the source of a run that is not of a pull request: each tree may have changes of its own */
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
