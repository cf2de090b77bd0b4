import type { MeterStep } from "../../ports/meter-store.ts";

const series = "cancelled workflow runs";

/** Workflow runs that were cancelled because their test decided nothing any more. */
export function cancelledRunsStep(organisation: string, by: number): MeterStep {
  return { organisation: organisation.toLowerCase(), series, by };
}

export function cancelledRunsCount(meters: ReadonlyMap<string, number>): number {
  return meters.get(series) ?? 0;
}
