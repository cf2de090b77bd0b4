/** A check, and the tests that it is about. */
export interface ExplainedCheck {
  readonly name: string;
  readonly tests: readonly string[];
}

/** What the reports of a run's tests say of its required checks. Of a check without a report, or with a doubtful one, they say nothing. */
export interface TestEvidence {
  /** Checks that passed although quarantined tests failed. */
  readonly forgiven: readonly ExplainedCheck[];
  /** Checks that failed, and in which only tests failed that are known to be flaky or are quarantined. */
  readonly flaky: readonly ExplainedCheck[];
  /**
   * Checks that failed, and in which only new tests failed, or these and known flakes; named are the new ones. Absent: nobody asked that
   * new tests be run again.
   */
  readonly withNewTests?: readonly ExplainedCheck[];
}

export const noEvidence: TestEvidence = { forgiven: [], flaky: [] };
