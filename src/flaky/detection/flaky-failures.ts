import { pullRequestsWithFlips } from "./flips.ts";
import type { TestHistory } from "./history.ts";
import { pullRequestsThatBreak } from "./pull-requests.ts";
import type { DetectionSettings } from "./settings.ts";
import type { TestStatus } from "./status.ts";

/** Where a test's failures count as those of a flaky test. */
export interface FlakyPlaces {
  /** The status on each line that has a history. */
  readonly lines: Readonly<Record<string, TestStatus>>;
  /** By pull request name: until when the test counts as flaky in that pull request, although it is healthy on its line. */
  readonly onlyIn: Readonly<Record<string, number>>;
  /** The pull requests that break the test. */
  readonly notIn: readonly string[];
}

/** The facts about a run that decide whether a failure is forgiven. */
export interface RunPlace {
  readonly at: number;
  readonly line: string;
  /** The pull request's name; null = the run is not of a pull request. */
  readonly pullRequest: string | null;
}

export function flakyPlacesOf({ lines }: TestHistory, settings: DetectionSettings): FlakyPlaces {
  const all = Object.values(lines);
  const onlyIn = new Map<string, number>();
  for (const { status, episodes } of all) {
    const until = Math.max(0, ...episodes.map(({ at }) => at)) + settings.flips.window;
    if (status.status !== "HEALTHY") continue;
    for (const name of pullRequestsWithFlips(episodes, settings)) onlyIn.set(name, until);
  }
  return {
    lines: Object.fromEntries(Object.entries(lines).map(([name, { status }]) => [name, status.status])),
    onlyIn: Object.fromEntries(onlyIn),
    notIn: all.flatMap(({ pullRequests }) => pullRequestsThatBreak(pullRequests, settings)),
  };
}

/** Whether a failure at this place counts as that of a flaky test. */
export function isFlakyAt(
  { lines, onlyIn, notIn }: FlakyPlaces,
  { at, line, pullRequest }: RunPlace,
): boolean {
  if (pullRequest !== null && notIn.includes(pullRequest)) return false;
  const status = lines[line] ?? lines[""] ?? "HEALTHY";
  if (status !== "HEALTHY") return status === "FLAKY";
  return pullRequest !== null && at < (onlyIn[pullRequest] ?? 0);
}
