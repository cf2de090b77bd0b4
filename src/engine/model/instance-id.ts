/** How much a clock may differ from the code host's, in milliseconds. */
const clockErrorMs = 60_000;

/** When a service was created, in milliseconds since the epoch: its id begins with that, in base 36. */
export function createdAt(id: string): number {
  return Number.parseInt(id, 36);
}

/**
 * Whether a service with another database wrote a comment with this id.
 *
 * @param own the id of this service
 * @param at when it was written, by the code host's clock
 */
export function isByOther(own: string, id: string | null, at: number): boolean {
  // What was written before this database was created, or restored, may be by the service that it replaces.
  return id !== null && id !== own && at >= createdAt(own) + clockErrorMs;
}
