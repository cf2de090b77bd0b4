import type { TestHistory } from "./history.ts";
import { pullRequestsThatBreak } from "./pull-requests.ts";
import type { DetectionSettings } from "./settings.ts";
import type { TestStatus } from "./status.ts";

/** Where a test's failures count as those of a flaky test. */
export interface FlakyPlaces {
  /** The status on each line that has a history. */
  readonly lines: Readonly<Record<string, TestStatus>>;
  /** The pull requests that break the test. */
  readonly notIn: readonly string[];
}

/** The facts about a run that decide whether a failure is forgiven. */
export interface RunPlace {
  readonly at: number;
  readonly line: string;
  /** The names of the pull requests that it tests. */
  readonly pullRequests: readonly string[];
}

export function flakyPlacesOf({ lines }: TestHistory, settings: DetectionSettings): FlakyPlaces {
  const all = Object.values(lines);
  return {
    lines: Object.fromEntries(Object.entries(lines).map(([name, { status }]) => [name, status.status])),
    notIn: all.flatMap(({ pullRequests }) => pullRequestsThatBreak(pullRequests, settings)),
  };
}

/** Whether a failure at this place counts as that of a flaky test. */
export function isFlakyAt({ lines, notIn }: FlakyPlaces, { line, pullRequests }: RunPlace): boolean {
  if (pullRequests.some((name) => notIn.includes(name))) return false;
  return (lines[line] ?? lines[""]) === "FLAKY";
}
