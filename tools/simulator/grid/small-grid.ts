import { geometricMean } from "./cell.ts";
import type { SmallFigures, SmallPolicy, SmallResult } from "./small-cell.ts";

const plain = ["fixed", "batches", "github"] as const;
/**
 * The policies that each of Trainyard's policies is compared with. One without batches is not compared with `batches`. Each
 * simple rule is also compared with the best of all simple rules, to show how strict this comparison is.
 */
const rivals = {
  ours: plain,
  unbatched: ["fixed", "github"],
  fixed: plain,
  batches: plain,
  github: plain,
} as const satisfies Partial<Record<SmallPolicy, readonly SmallPolicy[]>>;
type Own = keyof typeof rivals;

const keys = ["p50", "p95"] as const;
/** Maximum ratio to the best of the others that still counts as equal. */
const near = 1.05;

const head = `| mode, PRs/h, slots, CI min, bad/flaky % | ours | unbatched | fixed | batches of 4 | like GitHub | oracle | ours to best |
|---|---|---|---|---|---|---|---|`;
const totalHead = `| policy | figure | to the best of the others | cells within ${near} | worst cell |
|---|---|---|---|---|`;

/** Renders a row for each cell, and the comparison of Trainyard's policies over all cells. */
export function renderSmallGrid(results: readonly SmallResult[]): string {
  const rows = results.toSorted(compareCells).map(renderCell);
  const totals = (Object.keys(rivals) as Own[]).flatMap((own) =>
    keys.map((key) => renderTotal(results, own, key)),
  );
  return [head, ...rows, "", totalHead, ...totals].join("\n");
}

function compareCells(a: SmallResult, b: SmallResult): number {
  const order = ({ mode, minutes, bad, rate, slots }: SmallResult) => [
    mode === "single" ? 0 : 1,
    bad,
    minutes,
    rate,
    slots,
  ];
  const [one, other] = [order(a), order(b)];
  const place = one.findIndex((value, index) => value !== other[index]);
  return (one[place] ?? 0) - (other[place] ?? 0);
}

function renderCell(result: SmallResult): string {
  const { figures } = result;
  const names = ["ours", "unbatched", "fixed", "batches", "github", "oracle"] as const;
  const ratios = keys.map((key) => ratioToBest(result, "ours", key).toFixed(2)).join("/");
  return row(nameOf(result), ...names.map((name) => renderFigures(figures[name])), ratios);
}

function nameOf({ mode, rate, slots, minutes, bad, flakeRate }: SmallResult): string {
  return `${mode}, ${rate}, ${slots}, ${minutes}, ${100 * bad}/${100 * flakeRate}`;
}

function renderFigures({ p50, p95, falseRejections }: SmallFigures): string {
  return `${minutesText(p50)}/${minutesText(p95)} (${falseRejections.toFixed(1)})`;
}

function minutesText(minutes: number): string {
  return minutes.toFixed(minutes < 10 ? 1 : 0);
}

function ratioToBest(result: SmallResult, own: Own, key: "p50" | "p95"): number {
  return result.figures[own][key] / bestOfOthers(result, own, key);
}

/** The best value of the other policies, in minutes. */
export function bestOfOthers({ figures }: SmallResult, own: Own, key: "p50" | "p95"): number {
  return Math.min(...rivals[own].map((name) => figures[name][key]));
}

function renderTotal(results: readonly SmallResult[], own: Own, key: "p50" | "p95"): string {
  const ratios = results.map((result) => ({ result, ratio: ratioToBest(result, own, key) }));
  const [worst] = ratios.toSorted((a, b) => b.ratio - a.ratio);
  const within = ratios.filter(({ ratio }) => ratio <= near).length;
  return row(
    own,
    key.toUpperCase(),
    geometricMean(ratios.map(({ ratio }) => ratio)).toFixed(3),
    `${within} of ${ratios.length}`,
    worst ? `${worst.ratio.toFixed(2)}: ${nameOf(worst.result)}` : "",
  );
}

function row(...fields: readonly string[]): string {
  return `| ${fields.join(" | ")} |`;
}

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
        return found ? drawCell(found, gap.left + place * cell.width, top + 2 * line * cell.height) : [];
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

function drawCell(result: SmallResult, x: number, y: number): string[] {
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
