import type { MeterStep } from "../../ports/meter-store.ts";

/** Why a delivery that might command was ignored: its signed content had come before under another id, or is older than we heed. */
export const ignoredReasons = ["repeated", "too_old"] as const;
export type IgnoredReason = (typeof ignoredReasons)[number];

const seriesOf = (reason: IgnoredReason) => `ignored ${reason}`;

export function ignoredStep(organisation: string, reason: IgnoredReason): MeterStep {
  return { organisation, series: seriesOf(reason), by: 1 };
}

export function ignoredCount(meters: ReadonlyMap<string, number>, reason: IgnoredReason): number {
  return meters.get(seriesOf(reason)) ?? 0;
}
