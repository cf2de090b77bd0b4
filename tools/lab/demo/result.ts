import type { Counts } from "../disturbances.ts";
import type { FlakeCounts, SoFar } from "../judge/judge-demo.ts";

/** The result that `--json` prints. */
export interface DemoResult {
  readonly prs: number;
  readonly merged: number;
  readonly failed: number;
  readonly cancelled: number;
  /** All REST calls of the service. */
  readonly restCalls: number;
  /** All REST calls, including those about pull requests that did not merge, divided by the number that merged. */
  readonly restCallsPerMerged: number;
  /**
   * Requests that create content on GitHub that people see (comments, reactions, checks, merges by the API), for each merged pull
   * request.
   */
  readonly contentRequestsPerMerged: number;
  readonly writingRequestsPerMerged: number;
  readonly graphqlCalls: number;
  readonly baseCommitsChecked: number;
  readonly baseCommitsRed: number;
  /** Merged pull requests whose tree on the base passed CI on a test branch. */
  readonly treeProofs: number;
  /** Failures in the queue of tests that are known to be flaky. */
  readonly flakes: FlakeCounts;
  /** Faults that were injected into the service's calls, by kind. */
  readonly faults: Counts;
  /** The disturbances besides these faults, by name. */
  readonly disturbances: Counts;
  readonly seconds: number;
  /** Differences from the truth; empty if there are none. */
  readonly violations: readonly string[];
}

/** The outcome of a demo in one line. Null = the demo broke off. */
export function describeRun(result: DemoResult | null): string {
  if (result === null) return "broke off";
  const { prs, merged, failed, cancelled, seconds, faults, disturbances } = result;
  return (
    `${prs} pull requests in ${seconds} s, ${merged} merged, ${failed} failed, ${cancelled} cancelled; ` +
    `faults of GitHub: ${describeCounts(faults)}; besides: ${describeCounts(disturbances)}`
  );
}

export function describeCounts(counts: Counts): string {
  const named = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return named.length === 0 ? "none" : named.sort().join(", ");
}

/** The judgement of a whole demo, for people. */
export function renderResult(result: DemoResult, flakyTestPage: string): string {
  const { prs, merged, failed, cancelled, baseCommitsChecked, baseCommitsRed, treeProofs, seconds } = result;
  return `
${prs} pull requests in ${seconds} s: ${merged} merged, ${failed} failed, ${cancelled} cancelled.
${baseCommitsChecked} commits of main checked, ${baseCommitsRed} red. ${treeProofs} of ${merged} merged trees proved to be the tested ones.
${describeFlakes(result.flakes)} One of them: ${flakyTestPage}
${result.restCallsPerMerged} REST calls for each merged pull request, and ${result.graphqlCalls} GraphQL calls in all; ${result.contentRequestsPerMerged} requests for each create what people see, and ${result.writingRequestsPerMerged} create or change it.${listWrongs(result.violations)}`;
}

/** The judgement of a demo that was stopped. */
export function renderSoFar({ prs, merged, baseCommitsChecked, baseCommitsRed, violations }: SoFar): string {
  const verdict = violations.length === 0 ? "Nothing is wrong so far." : "";
  return `${merged} of ${prs} pull requests have merged. ${baseCommitsChecked} commits of main checked, ${baseCommitsRed} red. ${verdict}${listWrongs(violations)}`;
}

function listWrongs(violations: readonly string[]): string {
  return violations.map((violation) => `\nWRONG: ${violation}`).join("");
}

function describeFlakes({ failed, rerun, forgiven, discarded, evicted }: DemoResult["flakes"]): string {
  const outcomes = [`${rerun} re-run`, `${forgiven} quarantined and forgiven`];
  if (discarded > 0) outcomes.push(`${discarded} in tests that were discarded`);
  const victims = evicted === 0 ? "nobody" : evicted;
  return `Flaky tests failed in the queue ${failed} times: ${outcomes.join(", ")}; ${victims} evicted.`;
}
