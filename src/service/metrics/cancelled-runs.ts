import { nameKey } from "../../engine/model/names.ts";
import type { MeterStep } from "../../store/leased/meter-store.ts";

const series = "cancelled workflow runs";

/** Counts workflow runs that were cancelled because their test run was no longer needed. */
export function cancelledRunsStep(organisation: string, by: number): MeterStep {
  return { organisation: nameKey(organisation), series, by };
}

export function cancelledRunsCount(meters: ReadonlyMap<string, number>): number {
  return meters.get(series) ?? 0;
}
