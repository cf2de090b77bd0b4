import { hasHeavyFlip, isFlakyByFlips } from "./flips.ts";
import type { TestHistory } from "./history.ts";
import { pullRequestsThatBreak, type RunSource } from "./pull-requests.ts";
import type { DetectionSettings } from "./settings.ts";

/** What detection remembers of a test. `line`: the stable branch; "" = unknown. */
export type Evidence = { readonly line: string } & (
  | ForFlaky
  /** Only changes that are on no stable branch have shown flips, so they may be the cause. */
  | { readonly code: "UNMERGED_CHANGES"; readonly needed: number }
  | { readonly code: "PULL_REQUEST_BREAKS_IT"; readonly pullRequest: string }
  | { readonly code: "FAILED_IN_A_ROW"; readonly failures: number; readonly needed: number }
  /** It needs this many passing runs in a row to count as healthy. */
  | { readonly code: "RECOVERING"; readonly clean: number; readonly needed: number; readonly since: number }
  | { readonly code: "RECOVERED"; readonly runs: number; readonly at: number }
);

type ForFlaky =
  | Flip
  /** Separate failures on the stable branch, at least two. */
  | { readonly code: "FAILED_NOW_AND_THEN"; readonly times: number };

/** The test passed and failed on one tree. */
export interface Flip {
  readonly code: "FLIPPED";
  readonly at: number;
  readonly tree: string;
  readonly sources: readonly RunSource[];
  /** Less than 1 if many tests flipped at once. */
  readonly weight: number;
}

export function isForFlaky(evidence: Evidence): evidence is Extract<Evidence, ForFlaky> {
  return evidence.code === "FLIPPED" || evidence.code === "FAILED_NOW_AND_THEN";
}

/** Lists the evidence on which detection decides, the latest flips first. */
export function listEvidence({ lines }: TestHistory, settings: DetectionSettings): readonly Evidence[] {
  return Object.entries(lines).flatMap(([line, history]): readonly Evidence[] => {
    const { episodes, cusum, slowCusum, streak, pullRequests, recovery, status } = history;
    const times = Math.max(cusum.streaks, slowCusum.streaks);
    const isUnproven =
      status.status === "HEALTHY" && hasHeavyFlip(episodes, settings) && !isFlakyByFlips(episodes, settings);
    const breaking = pullRequestsThatBreak(pullRequests, settings);
    const flips = episodes.toSorted((a, b) => b.at - a.at);
    return [
      ...flips.map((flip) => ({ line, code: "FLIPPED", ...flip }) as const),
      ...(times > 1 ? [{ line, code: "FAILED_NOW_AND_THEN", times } as const] : []),
      ...(isUnproven
        ? [{ line, code: "UNMERGED_CHANGES", needed: settings.independent.changes } as const]
        : []),
      ...breaking.map((pullRequest) => ({ line, code: "PULL_REQUEST_BREAKS_IT", pullRequest }) as const),
      ...(streak.failures > 1
        ? [
            {
              line,
              code: "FAILED_IN_A_ROW",
              failures: streak.failures,
              needed: settings.broken.failures,
            } as const,
          ]
        : []),
      ...(recovery ? [{ line, code: "RECOVERING", ...recovery } as const] : []),
      ...(status.reason.code === "RECOVERED"
        ? [{ line, code: "RECOVERED", runs: status.reason.runs, at: status.at } as const]
        : []),
    ];
  });
}
