/** What a reason means, and what to do about it. Both are whole sentences; `docs/reference/reasons.md` is made of them. */
export interface ReasonGuide {
  readonly kind: "submitted" | "waits" | "tested again" | "passed" | "merged" | "left" | "queue";
  readonly meaning: string;
  /** What the reader does next. Null: nothing, the queue goes on by itself. */
  readonly advice: string | null;
}
