import { randomUUID } from "node:crypto";

/**
 * A unique name for one claim, stored as the owner of the lease. A time or a counter is not sufficient: rows
 * are given back and claimed again, even twice in a millisecond, and an earlier holder must never be mistaken
 * for the current one.
 */
export function newClaim(owner: string): string {
  return `${owner} ${randomUUID()}`;
}
