import type { ClaimedRow } from "./outbox.ts";

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

export interface LastRow {
  readonly id: number;
  readonly stream: string;
  readonly content: string;
  readonly coalesces: number;
  readonly lease_until: number | null;
  readonly not_before: number;
  readonly due_at: number | null;
}

/**
 * Whether an equal row need not be added after it.
 *
 * A claimed row does not absorb new ones, even after its lease has expired. Its worker may have read the state before the reason
 * for the new row arose, and may still settle it.
 */
export function isFoldable(
  { coalesces, lease_until, content }: Pick<LastRow, "coalesces" | "lease_until" | "content">,
  added: string,
): boolean {
  return coalesces === 1 && lease_until === null && content === added;
}
