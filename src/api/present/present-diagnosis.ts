import type * as z from "zod";
import type { Diagnosis } from "../../service/doctor/doctor.ts";
import type { finding, unexamined } from "../schema/finding.ts";

export interface PresentedDiagnosis {
  findings: z.output<typeof finding>[];
  unexamined: z.output<typeof unexamined>[];
}

export function presentDiagnosis({ findings, unexamined }: Diagnosis): PresentedDiagnosis {
  return {
    findings: findings.map(({ isFatal: _, fix, ...rest }) => ({ ...rest, fix: { ...fix } })),
    unexamined: unexamined.map((one) => ({ ...one })),
  };
}

/** Presents a diagnosis without notes, as part of the answer to another request. */
export function presentFaults(diagnosis: Diagnosis): PresentedDiagnosis {
  return presentDiagnosis({
    ...diagnosis,
    findings: diagnosis.findings.filter(({ severity }) => severity !== "note"),
  });
}
