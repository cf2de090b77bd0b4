/** What the display shows of a pull request. */
export interface Row {
  readonly number: number;
  readonly title: string;
  /** Null = it has not been submitted. */
  readonly state: string | null;
  readonly why: string;
  /** Whether its jobs are re-run because of known flakes. */
  readonly isRetried: boolean;
}
