import { countedFlake, type Strike } from "../demo/test-job.ts";
import type { Ended } from "./judge-base.ts";

/** How the failures of flaky tests in the queue ended. */
export interface FlakeCounts {
  readonly failed: number;
  /** The queue re-ran the job. */
  readonly rerun: number;
  /** Quarantined: the job passed without a re-run. */
  readonly forgiven: number;
  /** The queue discarded the run for another reason. */
  readonly discarded: number;
  /** Pull requests that a flaky test evicted from the queue. */
  readonly evicted: number;
}

/**
 * Counts the outcomes of flaky tests and returns the violations. `page`: the text of the dashboard page of the test whose
 * failures count. While calls fail, a re-run is not required: reports may arrive late, and a failed batch may be split first.
 */
export function judgeFlakes(
  strikes: readonly Strike[],
  ended: readonly Ended[],
  page: string,
  { callsFail }: { readonly callsFail: boolean },
): { readonly flakes: FlakeCounts; readonly violations: readonly string[] } {
  const count = (outcome: Strike["outcome"]) => strikes.filter((strike) => strike.outcome === outcome).length;
  // Only good pull requests are struck, so nothing else can have failed them.
  const evicted = ended.filter(
    ({ number, state }) => state === "failed" && strikes.some(({ pr }) => pr === number),
  );
  const flakes = {
    failed: strikes.length,
    rerun: count("rerun"),
    forgiven: count("forgiven"),
    discarded: count("discarded"),
    evicted: evicted.length,
  };
  const violations = evicted.map(({ number }) => `#${number} was thrown out by a flaky test`);
  if (flakes.rerun === 0 && !callsFail)
    violations.push(`no job was run again although a flaky test failed in the queue: ${describe(strikes)}`);
  if (flakes.forgiven === 0) violations.push("no failure of a quarantined test was forgiven in the queue");
  for (const text of [countedFlake.name, countedFlake.failure, "Passed and failed on the same tree"])
    if (!page.includes(text)) violations.push(`the flaky test's page does not show "${text}"`);
  return { flakes, violations };
}

const describe = (strikes: readonly Strike[]): string =>
  strikes.map(({ pr, outcome, branch, runId }) => `#${pr} ${outcome} (run ${runId}, ${branch})`).join("; ");
