/** The meaning of a reason, and advice for the reader. Both are whole sentences. `docs/reference/reasons.md` is generated from them. */
export interface ReasonGuide {
  readonly kind: "submitted" | "waits" | "tested again" | "passed" | "merged" | "left" | "queue";
  readonly meaning: string;
  /** The next step for the reader; null = none, because the queue continues by itself. */
  readonly advice: string | null;
}
