import type { ClaimedRow } from "../../ports/outbox.ts";

/** A row to be added. */
export interface NewRow {
  readonly stream: string;
  readonly content: string;
  readonly notBefore: number;
  readonly coalesce: boolean;
}

/** A row as its worker receives it. */
export interface LeasedRow extends ClaimedRow {
  readonly stream: string;
  readonly content: string;
  /** How often it was claimed before. */
  readonly attempts: number;
  readonly failures: number;
  readonly failedAs: string | null;
  readonly failedInARow: number;
}

/** A row that was settled. */
export interface SettledRow {
  readonly content: string;
  readonly claimedAt: number | null;
}

export interface WaitingStream {
  readonly stream: string;
  readonly content: string;
  readonly rows: number;
  readonly wantedAt: number | null;
}
