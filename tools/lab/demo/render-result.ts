import type { SoFar } from "../judge/judge-so-far.ts";
import type { DemoResult } from "./result.ts";

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
