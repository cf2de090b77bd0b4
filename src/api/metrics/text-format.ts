import { bucketBounds, type Histogram } from "../../service/runtime/histogram.ts";

export type Labels = Readonly<Record<string, string>>;

export type Sample =
  | { readonly labels: Labels; readonly value: number }
  | {
      readonly labels: Labels;
      readonly histogram: Histogram;
      /** Upper bounds of the buckets, when they are not the usual ones. */
      readonly bounds?: readonly number[];
    };

/** The series of one metric name. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
  /** Samples with the labels that they share, as `renderLabels` writes them. It can be read once. */
  readonly groups: Iterable<readonly [shared: string, samples: readonly Sample[]]>;
}

/** The pieces of an answer have about this many characters. */
const pieceLength = 64 * 1024;

/**
 * Prometheus' text format, in pieces.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function* renderMetrics(families: readonly Family[]): Generator<string> {
  let piece = "";
  for (const { name, help, type, groups } of families) {
    piece += `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
    for (const [shared, samples] of groups) {
      for (const sample of samples) piece += renderSample(name, shared, sample);
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

function renderSample(name: string, shared: string, sample: Sample): string {
  const own = renderLabels(sample.labels);
  const labels = shared && own ? `${shared},${own}` : shared + own;
  if ("value" in sample) return `${name}{${labels}} ${sample.value}\n`;
  const { bounds = bucketBounds, histogram } = sample;
  const bucket = `${name}_bucket{${labels && `${labels},`}le="`;
  let total = 0;
  let lines = "";
  for (const [index, count] of histogram.counts.entries()) {
    total += count;
    lines += `${bucket}${bounds[index] ?? "+Inf"}"} ${total}\n`;
  }
  return `${lines}${name}_sum{${labels}} ${histogram.sum}\n${name}_count{${labels}} ${total}\n`;
}

export function renderLabels(labels: Labels): string {
  let text = "";
  for (const [name, value] of Object.entries(labels))
    text += `${text && ","}${name}="${special.test(value) ? escapeValue(value) : value}"`;
  return text;
}

const special = /["\\\n]/;

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
