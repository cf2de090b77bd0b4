import { bestOfOthers } from "./render-small-grid.ts";
import type { SmallResult } from "./small-cell.ts";

const cell = { width: 34, height: 20 };
const gap = { between: 46, top: 86, left: 76 };
const title = "Minutes to merge: Trainyard divided by the best of the others";
/** A ratio of this size, or its inverse, has the full colour. */
const strongest = 2;
const worse = [178, 24, 43];
const better = [33, 102, 172];

/** Renders the grid of small teams as SVG: in each cell, Trainyard's P50 and P95 divided by the best of the others. */
export function renderHeatMap(results: readonly SmallResult[]): string {
  const columns = sorted(results, ({ rate, slots }) => [rate, slots]);
  const panels = sorted(results, ({ mode, bad, flakeRate }) => [mode === "single" ? 0 : 1, bad, flakeRate]);
  const rows = sorted(results, ({ minutes }) => [minutes]);
  const panelHeight = 2 * rows.length * cell.height + gap.between;
  const width = gap.left + columns.length * cell.width + 20;
  const height = gap.top + panels.length * panelHeight;
  const drawn = panels.map((panel, index) => {
    const top = gap.top + index * panelHeight;
    const first = panel[0];
    const name = `${first?.mode} mode, ${percent(first?.bad)} bad, ${percent(first?.flakeRate)} flaky`;
    const heading = text(gap.left, top - 8, name, 'font-weight="bold"');
    const cells = rows.flatMap((row, line) => [
      text(gap.left - 6, top + (2 * line + 1.2) * cell.height, `${row[0]?.minutes} min`, 'text-anchor="end"'),
      ...columns.flatMap((column, place) => {
        const found = panel.find((one) => row.includes(one) && column.includes(one));
        return found ? renderCell(found, gap.left + place * cell.width, top + 2 * line * cell.height) : [];
      }),
    ]);
    return [heading, ...cells].join("\n");
  });
  const heads = columns.map(([one], place) => {
    const middle = gap.left + (place + 0.5) * cell.width;
    return text(middle, gap.top - 28, `${one?.rate}/h·${one?.slots}`, 'text-anchor="middle" font-size="9"');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="11">
<title>${title}</title>
<rect width="100%" height="100%" fill="white"/>
${text(gap.left, 20, title, 'font-size="14" font-weight="bold"')}
${text(gap.left, 38, "Columns: pull requests per hour · slots. Rows: minutes of CI, P50 above P95. Blue is faster, red is slower.")}
${[...heads, ...drawn].join("\n")}
</svg>
`;
}

function renderCell(result: SmallResult, x: number, y: number): string[] {
  return (["p50", "p95"] as const).map((key, line) => {
    const ratio = result.figures.ours[key] / bestOfOthers(result, "ours", key);
    const box = `x="${x}" y="${y + line * cell.height}" width="${cell.width - 1}" height="${cell.height - 1}"`;
    const label = text(
      x + cell.width / 2,
      y + (line + 0.7) * cell.height,
      ratio.toFixed(2),
      'text-anchor="middle"',
    );
    return `<rect ${box} fill="${colourOf(ratio)}"/>${label}`;
  });
}

/** White at 1. The colour depends on the logarithm of the ratio. */
function colourOf(ratio: number): string {
  const share = Math.min(1, Math.abs(Math.log(ratio) / Math.log(strongest)));
  const full = ratio > 1 ? worse : better;
  const mixed = full.map((part) => Math.round(255 - (255 - part) * share * 0.8));
  return `rgb(${mixed.join(",")})`;
}

function text(x: number, y: number, content: string, style = ""): string {
  return `<text x="${x}" y="${y}" ${style}>${content}</text>`;
}

function percent(share = 0): string {
  return `${Math.round(100 * share)} %`;
}

/** Groups results with equal keys, and sorts the groups by key. */
function sorted(
  results: readonly SmallResult[],
  keyOf: (result: SmallResult) => readonly number[],
): SmallResult[][] {
  const groups = [...Map.groupBy(results, (result) => keyOf(result).join()).values()];
  const compare = (a: readonly number[], b: readonly number[]) => {
    const place = a.findIndex((value, index) => value !== b[index]);
    return (a[place] ?? 0) - (b[place] ?? 0);
  };
  return groups.sort(([a], [b]) => (a && b ? compare(keyOf(a), keyOf(b)) : 0));
}
