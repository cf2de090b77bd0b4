import type { DamagedEvidence } from "../../flaky/store/history/test-evaluation-rows.ts";
import type { MeterStep } from "../../store/leased/meter-store.ts";

/** The kinds of evidence that detection may be unable to read. */
export type Evidence = DamagedEvidence["kind"];
export const evidenceKinds = ["upload", "history", "counts"] as const satisfies readonly Evidence[];

const seriesOf = (what: Evidence) => `test_evidence_given_up ${what}`;

export function evidenceGivenUpStep(organisation: string, what: Evidence): MeterStep {
  return { organisation, series: seriesOf(what), by: 1 };
}

export function evidenceGivenUpCount(meters: ReadonlyMap<string, number>, what: Evidence): number {
  return meters.get(seriesOf(what)) ?? 0;
}
