import type { MeterStep } from "../../store/leased/meter-store.ts";
import type { Histogram } from "../runtime/histogram.ts";

/** Upper bounds in seconds. */
export const lagBounds = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200] as const;

/** How a handled delivery had arrived. */
export const inboxSources = ["webhook", "poll"] as const;
export type InboxSource = (typeof inboxSources)[number];

const bucketName = (source: InboxSource, bound: number | "+Inf") => `inbox_lag ${source} ${bound}`;
const sumName = (source: InboxSource) => `inbox_lag ${source} sum`;

export function lagSteps(organisation: string, source: InboxSource, ms: number): readonly MeterStep[] {
  const seconds = Math.max(0, ms / 1000);
  const bound = lagBounds.find((one) => seconds <= one) ?? "+Inf";
  return [
    { organisation, series: bucketName(source, bound), by: 1 },
    { organisation, series: sumName(source), by: seconds },
  ];
}

export function lagHistogram(meters: ReadonlyMap<string, number>, source: InboxSource): Histogram {
  const counts = [...lagBounds, "+Inf" as const].map((bound) => meters.get(bucketName(source, bound)) ?? 0);
  return { counts, sum: meters.get(sumName(source)) ?? 0 };
}
