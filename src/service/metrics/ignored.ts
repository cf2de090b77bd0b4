import type { MeterStep } from "../../store/leased/meter-store.ts";

/**
 * Why a delivery with a possible command was ignored: its signed content had already arrived under another
 * id, or it is too old.
 */
export const ignoredReasons = ["repeated", "too_old"] as const;
export type IgnoredReason = (typeof ignoredReasons)[number];

const seriesOf = (reason: IgnoredReason) => `ignored ${reason}`;

export function ignoredStep(organisation: string, reason: IgnoredReason): MeterStep {
  return { organisation, series: seriesOf(reason), by: 1 };
}

export function ignoredCount(meters: ReadonlyMap<string, number>, reason: IgnoredReason): number {
  return meters.get(seriesOf(reason)) ?? 0;
}
