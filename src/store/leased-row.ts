import type { ClaimedRow } from "../ports/outbox.ts";

/** A row on its way in. */
export interface NewRow {
  readonly stream: string;
  readonly content: string;
  readonly notBefore: number;
  readonly coalesce: boolean;
}

/** A row as its worker gets it. */
export interface LeasedRow extends ClaimedRow {
  readonly stream: string;
  readonly content: string;
  /** How often it was claimed before. */
  readonly attempts: number;
}

/** A row that has left. */
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
