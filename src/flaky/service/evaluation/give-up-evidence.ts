import { UnreadableEvidence } from "../../unreadable-evidence.ts";
import type { TestContext } from "../test-context.ts";

/**
 * Runs `work`. If it meets evidence that can never be read, gives up that evidence, because all other
 * evaluation would wait for it, and returns whether that succeeded.
 */
export async function orGiveUp<T>(
  { stores, clock, log }: Pick<TestContext, "stores" | "clock" | "log">,
  work: () => Promise<T>,
): Promise<T | boolean> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadableEvidence)) throw error;
    const { evidence } = error;
    const isGivenUp = await stores.testEvaluations.giveUp(evidence, clock.now());
    if (isGivenUp)
      log.error(
        { err: error, evidence, code: "EVIDENCE_UNREADABLE" },
        "gave up results of tests that cannot be read; the others are evaluated without them",
      );
    return isGivenUp;
  }
}
