import { figure } from "../../../src/replay/render-replay.ts";
import { type CellResult, geometricMean, mean, oracleOf, type Total } from "./cell.ts";

const cellHead = `| PR/h | workers | policy | P50/P95/P99 min | x oracle | merged/h | CI min/merged | runs/PR | false rej % | broken |
|---|---|---|---|---|---|---|---|---|---|`;

const totalHead = `| policy | x P50 | x P95 | x P99 | false rej % | CI min/merged | merged/h (sum) | broken | violations | wall s |
|---|---|---|---|---|---|---|---|---|---|`;

/** One row for each load and policy, averaged over the seeds. */
export function renderCells(results: readonly CellResult[]): string {
  const groups = Map.groupBy(results, ({ rate, workers, policy }) => `${rate} ${workers} ${policy}`);
  const rows = [...groups.values()].sort(([a], [b]) => place(a) - place(b));
  return [cellHead, ...rows.map((group) => renderCell(group, results))].join("\n");
}

export function renderTotals(totals: readonly Total[]): string {
  const rows = totals.map((total) =>
    row(
      total.policy,
      figure(total.p50ToOracle, 2),
      figure(total.p95ToOracle, 2),
      figure(total.p99ToOracle, 2),
      figure(total.falseRejectionPercent, 2),
      figure(total.ciMinutesPerMerged),
      figure(total.mergedPerHour, 0),
      `${total.broken}`,
      `${total.violations}`,
      figure(total.wallMs / 1000),
    ),
  );
  return [totalHead, ...rows].join("\n");
}

function renderCell(group: readonly CellResult[], results: readonly CellResult[]): string {
  const [first] = group;
  const average = (of: (one: CellResult) => number | null) => mean(group.map((one) => of(one) ?? Number.NaN));
  const ratio = (key: "p50" | "p95" | "p99") =>
    geometricMean(group.map((one) => (one[key] ?? Number.NaN) / (oracleOf(one, results)[key] ?? Number.NaN)));
  const keys = ["p50", "p95", "p99"] as const;
  return row(
    `${first?.rate}`,
    `${first?.workers}`,
    `${first?.policy}`,
    keys
      .map((key) =>
        figure(
          average((one) => one[key]),
          0,
        ),
      )
      .join("/"),
    keys.map((key) => figure(ratio(key), 2)).join("/"),
    figure(
      average((one) => one.mergedPerHour),
      0,
    ),
    figure(average((one) => one.ciMinutesPerMerged)),
    figure(
      average((one) => one.runsPerPr),
      2,
    ),
    figure(
      average((one) => (100 * one.falseRejections) / one.pullRequests),
      2,
    ),
    `${group.reduce((all, { broken }) => all + broken, 0)}`,
  );
}

function place(result: CellResult | undefined): number {
  return (result?.rate ?? 0) * 1_000_000 + (result?.workers ?? 0);
}

function row(...fields: readonly string[]): string {
  return `| ${fields.join(" | ")} |`;
}
