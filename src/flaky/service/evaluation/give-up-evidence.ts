import type { Clock, Logger } from "../../../ports/code-host/runtime.ts";
import type { TestEvaluationStore } from "../../store/history/test-evaluation-store.ts";
import { UnreadableEvidence } from "../../unreadable-evidence.ts";

export interface GivingUpParts {
  readonly evaluations: Pick<TestEvaluationStore, "giveUp">;
  readonly clock: Clock;
  readonly log: Logger;
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
    if (!(error instanceof UnreadableEvidence)) throw error;
    const { evidence } = error;
    const isGivenUp = await evaluations.giveUp(evidence, clock.now());
    if (isGivenUp)
      log.error(
        { err: error, evidence, code: "EVIDENCE_UNREADABLE" },
        "gave up results of tests that cannot be read; the others are evaluated without them",
      );
    return isGivenUp;
  }
}
