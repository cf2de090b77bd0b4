import type { TestName } from "../identity.ts";

/** The result of one test in one upload's report. */
export interface TestExecution extends TestName {
  /** An id from the report. */
  readonly givenId: string | null;
  /** Separates runs of this test within the report, such as by Playwright's project; "" = no variant. */
  readonly variant: string;
  /** In the order in which they ran; at least one. */
  readonly attempts: readonly Attempt[];
  /** Some attempts are separate test cases of the same name, which some writers use for retries. */
  readonly isRepeated: boolean;
}

export interface Attempt {
  readonly outcome: TestOutcome;
  readonly durationMs: number | null;
  /** As written in the report: ISO 8601, often without a zone. */
  readonly startedAt: string | null;
  /** Set for a failed attempt. */
  readonly failure: TestFailure | null;
}

export type TestOutcome = "passed" | "failed" | "skipped";

export interface TestFailure {
  /** `error` = not a failed assertion, but a crash, a missing module or a fixture. */
  readonly kind: "failure" | "error";
  /** The class of the exception, or what the writer writes instead. */
  readonly type: string | null;
  readonly message: string | null;
  /** Usually a stack trace. */
  readonly text: string;
}

/** The final outcome of the test: that of its last attempt that was not skipped. */
export function outcomeOf({ attempts }: TestExecution): TestOutcome {
  return attempts.findLast(({ outcome }) => outcome !== "skipped")?.outcome ?? "skipped";
}

/** Whether the attempts may belong to two tests of one name. Then a pass of one does not undo the failure of the other. */
export function mayBeTwo(run: TestExecution): boolean {
  return run.isRepeated && isFlip(run);
}

/** Whether the test both passed and failed in one report, which means on one tree. */
export function isFlip({ attempts }: TestExecution): boolean {
  return (
    attempts.some(({ outcome }) => outcome === "failed") &&
    attempts.some(({ outcome }) => outcome === "passed")
  );
}

/**
 * Copies a text into a string of its own. A substring of a piece of the report would keep the whole piece in memory, and many failures the
 * whole report.
 */
export function detached<Text extends string | null>(text: Text): Text {
  return (text === null ? null : ` ${text}`.slice(1)) as Text;
}
