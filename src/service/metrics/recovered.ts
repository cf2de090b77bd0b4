import type { MeterStep } from "../../store/leased/meter-store.ts";

/** What polling finds that a webhook should have reported. */
export const recoverables = ["comment", "label", "checks", "base", "pull_request"] as const;
export type Recoverable = (typeof recoverables)[number];

const seriesOf = (what: Recoverable) => `recovered ${what}`;

export function recoveredStep(organisation: string, what: Recoverable, by = 1): MeterStep {
  return { organisation, series: seriesOf(what), by };
}

export function recoveredCount(meters: ReadonlyMap<string, number>, what: Recoverable): number {
  return meters.get(seriesOf(what)) ?? 0;
}
