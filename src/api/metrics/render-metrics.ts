import { bucketBounds } from "../../service/metrics/histogram.ts";
import type { Family, Labels, Sample } from "./families.ts";

export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Prometheus' text format.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function renderMetrics(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type}`,
    ...samples.flatMap((sample) => renderSample(name, sample)),
  ]);
  return `${lines.join("\n")}\n`;
}

function renderSample(name: string, sample: Sample): string[] {
  const { labels } = sample;
  if ("value" in sample) return [`${name}${renderLabels(labels)} ${sample.value}`];
  const { bounds = bucketBounds, histogram } = sample;
  const { counts, sum } = histogram;
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const le = String(bounds[index] ?? "+Inf");
    return `${name}_bucket${renderLabels({ ...labels, le })} ${total}`;
  });
  return [
    ...buckets,
    `${name}_sum${renderLabels(labels)} ${sum}`,
    `${name}_count${renderLabels(labels)} ${total}`,
  ];
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return `{${pairs.join(",")}}`;
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
