import type { GivenUpCode } from "../../store/leased/inbox.ts";
import type { MeterStep } from "../../store/leased/meter-store.ts";

export const givenUpCodes = [
  "CODE_HOST_ABSENT",
  "PAYLOAD_UNREADABLE",
  "CODE_HOST_DENIED",
  "NOT_HANDLED",
] as const satisfies readonly GivenUpCode[];

const seriesOf = (code: GivenUpCode) => `inbox_given_up ${code}`;

export function givenUpStep(organisation: string, code: GivenUpCode): MeterStep {
  return { organisation, series: seriesOf(code), by: 1 };
}

export function givenUpCounts(meters: ReadonlyMap<string, number>): ReadonlyMap<GivenUpCode, number> {
  return new Map(givenUpCodes.map((code) => [code, meters.get(seriesOf(code)) ?? 0]));
}
