import type { Outcome, PullRequestOutcome } from "./outcome.ts";
import type { Summary } from "./summary.ts";

/** Renders the figures of a simulation for people. */
export function renderSummary(summary: Summary, { pullRequests, trace }: Outcome): string {
  const { policy, merged, rejected, falseRejections, broken, p50, p95, p99, meanMinutes } = summary;
  const others = pullRequests.length - merged - rejected;
  const latency = [p50, p95, p99].map((minutes) => figure(minutes)).join("/");
  return `${policy}: of ${pullRequests.length} pull requests ${merged} merged, ${rejected} were rejected${others > 0 ? `, ${others} neither` : ""}; ${falseRejections} false rejections, ${broken} times a red base
  P50/P95/P99 ${latency} min, mean ${figure(meanMinutes)} min; ${figure(summary.mergedPerHour)} merged/h
  ${figure(summary.ciMinutesPerMerged)} CI minutes per merged pull request, ${figure(summary.runsPerPr, 2)} runs per pull request
  ${summary.events} events in ${figure(summary.wallMs / 1000, 2)} s; trace ${trace.slice(0, 16)}`;
}

export function renderPullRequest(one: PullRequestOutcome): string {
  const minutes = one.endedAt === null ? "" : ` after ${figure(one.endedAt - one.at)} min`;
  return `#${one.n} submitted at ${figure(one.at)}: ${one.ending}${minutes}, in ${one.runs} runs`;
}

export function renderViolations(violations: readonly string[]): string {
  return violations.map((violation) => `WRONG: ${violation}`).join("\n");
}

/** Renders a number for people, or a dash where there is none. */
export function figure(value: number | null, digits = 1): string {
  return value === null || !Number.isFinite(value) ? "-" : value.toFixed(digits);
}
