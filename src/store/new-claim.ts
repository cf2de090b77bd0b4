import { randomUUID } from "node:crypto";

/**
 * Names one claim, in the column that says who has a row. A time or a count would not do: rows are given back, come to rest
 * and are claimed again, also twice in a millisecond, and whoever had one before must never be taken for who has it now.
 */
export function newClaim(owner: string): string {
  return `${owner} ${randomUUID()}`;
}
