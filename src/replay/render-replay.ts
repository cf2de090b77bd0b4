import { figure } from "./render-outcome.ts";
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
    "How near the second column is to the first is what the replay is worth. It assumes:",
    ...assumptions.map((assumption) => `- ${assumption}`),
  ].join("\n");
}
