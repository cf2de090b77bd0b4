export type DamagedEvidence =
  | { readonly kind: "upload"; readonly id: number }
  | { readonly kind: "history"; readonly sk: number }
  /** How often a block of tests ran and failed on a day. `branch` is the kind of branch. */
  | { readonly kind: "counts"; readonly block: number; readonly day: number; readonly branch: string };

export type EvidenceKind = DamagedEvidence["kind"];
export const evidenceKinds = ["upload", "history", "counts"] as const satisfies readonly EvidenceKind[];

/** Thrown for evidence that can never be read, so that retries are useless. */
export class UnreadableEvidence extends Error {
  override readonly name = "UnreadableEvidence";
  readonly evidence: DamagedEvidence;

  constructor(evidence: DamagedEvidence, cause: unknown) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    super(`the database is damaged: ${nameOf(evidence)} cannot be read: ${problem}`, { cause });
    this.evidence = evidence;
  }
}

function nameOf(evidence: DamagedEvidence): string {
  switch (evidence.kind) {
    case "upload":
      return `upload ${evidence.id}`;
    case "history":
      return `the history of test ${evidence.sk}`;
    case "counts":
      return `block ${evidence.block} of the counts of day ${evidence.day} on ${evidence.branch} branches`;
  }
}

const seriesOf = (kind: EvidenceKind) => `test_evidence_given_up ${kind}`;

/** The increment of the organisation's counter of evidence that was given up. */
export function evidenceGivenUpStep(organisation: string, kind: EvidenceKind) {
  return { organisation, series: seriesOf(kind), by: 1 };
}

export function evidenceGivenUpCount(meters: ReadonlyMap<string, number>, kind: EvidenceKind): number {
  return meters.get(seriesOf(kind)) ?? 0;
}
