import type { Clock, Logger } from "../../../ports/code-host/runtime.ts";
import { evidenceGivenUpStep } from "../../../service/metrics/evidence-given-up.ts";
import type { DamagedEvidence, UnreadableEvidence } from "../../store/history/test-evaluation-rows.ts";
import type { TestEvaluationStore } from "../../store/history/test-evaluation-store.ts";

export interface GivingUpParts {
  readonly evaluations: Pick<TestEvaluationStore, "giveUp">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The stored reports of an upload differ from those that its verdict was based on. */
export class DamagedReports extends Error implements UnreadableEvidence {
  override readonly name = "UnreadableEvidence";
  readonly evidence: DamagedEvidence;

  constructor(id: number, cause?: unknown) {
    super(`the database is damaged: the reports of upload ${id} cannot be read again`, { cause });
    this.evidence = { kind: "upload", id };
  }
}

/**
 * Runs `work`. If it meets evidence that can never be read, gives up that evidence, because all other
 * evaluation would wait for it, and returns whether that succeeded.
 */
export async function orGiveUp<T>(
  { evaluations, clock, log }: GivingUpParts,
  work: () => Promise<T>,
): Promise<T | boolean> {
  try {
    return await work();
  } catch (error) {
    if (!isUnreadableEvidence(error)) throw error;
    const { evidence } = error;
    const steps = (organisation: string) => [evidenceGivenUpStep(organisation, evidence.kind)];
    const isGivenUp = await evaluations.giveUp(evidence, clock.now(), steps);
    if (isGivenUp)
      log.error(
        { err: error, evidence, code: "EVIDENCE_UNREADABLE" },
        "gave up results of tests that cannot be read; the others are evaluated without them",
      );
    return isGivenUp;
  }
}

function isUnreadableEvidence(error: unknown): error is UnreadableEvidence {
  return error instanceof Error && error.name === "UnreadableEvidence";
}
