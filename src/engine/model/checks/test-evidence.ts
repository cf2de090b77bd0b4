/** A check, and the tests that explain its result. */
export interface ExplainedCheck {
  readonly name: string;
  readonly tests: readonly string[];
}

/** What a run's test reports say about its required checks. A check without a report, or with a doubtful one, is in none of these lists. */
export interface TestEvidence {
  /** Checks that passed although quarantined tests failed. */
  readonly forgiven: readonly ExplainedCheck[];
  /** Failed checks in which only known flaky tests or quarantined tests failed. */
  readonly flaky: readonly ExplainedCheck[];
  /**
   * Failed checks in which only new tests failed, or new tests and known flakes. `tests` holds only the new ones; absent = none.
   */
  readonly withNewTests?: readonly ExplainedCheck[];
}

export const noEvidence: TestEvidence = { forgiven: [], flaky: [] };
