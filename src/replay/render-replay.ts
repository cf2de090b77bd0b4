import type { Outcome, PullRequestOutcome, Summary } from "./outcome.ts";
import type { Replay, ReplayFigures } from "./replay-recording.ts";

const rows: readonly (readonly [name: string, show: (figures: ReplayFigures) => string])[] = [
  ["wait P50, minutes", ({ waitP50 }) => figure(waitP50)],
  ["wait P95, minutes", ({ waitP95 }) => figure(waitP95)],
  ["merged", ({ merged }) => String(merged)],
  ["failed", ({ failed }) => String(failed)],
  ["cancelled or open", ({ others }) => String(others)],
  ["test runs", ({ runs }) => String(runs)],
  ["CI minutes", ({ ciMinutes }) => figure(ciMinutes)],
];

/** Renders the recorded and replayed figures side by side, and the assumptions. `changes` in the form of the command line. */
export function renderReplay(queue: string, replay: Replay, changes: readonly string[]): string {
  const { from, to, recorded, replayed, changed, assumptions } = replay;
  const day = (at: number) => new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const columns = [
    { title: "as it happened", figures: recorded },
    { title: "replayed", figures: replayed },
    ...(changes.length === 0 ? [] : [{ title: changes.join(" "), figures: changed }]),
  ];
  const line = (first: string, cells: readonly string[]) =>
    [
      first.padEnd(18),
      ...cells.map((cell, index) => cell.padStart(Math.max(14, columns[index]?.title.length ?? 0))),
    ].join("  ");
  return [
    `${queue}, ${day(from)} to ${day(to)} UTC`,
    "",
    line(
      "",
      columns.map(({ title }) => title),
    ),
    ...rows.map(([name, show]) =>
      line(
        name,
        columns.map(({ figures }) => show(figures)),
      ),
    ),
    "",
    "The nearer the second column is to the first, the more you can trust the third. It assumes:",
    ...assumptions.map((assumption) => `- ${assumption}`),
  ].join("\n");
}

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
