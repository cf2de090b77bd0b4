import type { TestName } from "../identity.ts";

/** What one upload's report says of one test. */
export interface TestRun extends TestName {
  /** An id that the report carries. */
  readonly givenId: string | null;
  /** What tells runs of this test apart within the report, such as Playwright's project; "" = nothing. */
  readonly variant: string;
  /** In the order in which they ran; at least one. */
  readonly attempts: readonly Attempt[];
  /** Some attempts are whole test cases of the same name, which some writers use for retries. */
  readonly isRepeated: boolean;
}

export interface Attempt {
  readonly outcome: TestOutcome;
  readonly durationMs: number | null;
  /** As the report has it: ISO 8601, often without a zone. */
  readonly startedAt: string | null;
  /** Of a failed attempt. */
  readonly failure: TestFailure | null;
}

export type TestOutcome = "passed" | "failed" | "skipped";

export interface TestFailure {
  /** `error` = not an assertion: a crash, a missing module, a fixture. */
  readonly kind: "failure" | "error";
  /** The class of the exception, or what the writer puts there. */
  readonly type: string | null;
  readonly message: string | null;
  /** Usually a stack trace. */
  readonly text: string;
}

/** What became of the test in the end: its last attempt decides, and a skipped one decides nothing. */
export function outcomeOf({ attempts }: TestRun): TestOutcome {
  return attempts.findLast(({ outcome }) => outcome !== "skipped")?.outcome ?? "skipped";
}

/** Its attempts may also be those of two tests that have one name: then a pass does not undo the other's failure. */
export function mayBeTwo(run: TestRun): boolean {
  return run.isRepeated && isFlip(run);
}

/** It passed and it failed in one report: on one tree, that is. */
export function isFlip({ attempts }: TestRun): boolean {
  return (
    attempts.some(({ outcome }) => outcome === "failed") &&
    attempts.some(({ outcome }) => outcome === "passed")
  );
}
