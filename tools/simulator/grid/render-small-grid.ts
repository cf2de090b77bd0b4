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

/** In minutes. */
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
