/** What is kept about pull requests after they have left their queues. */
export interface HistoryStore {
  /**
   * Deletes at most `limit` rows of each kind that are older than `before`: pull requests and test runs that have ended, and
   * heads and impacted targets of pull requests, and what was posted on pull requests that are in no queue and not remembered any
   * more. The logs of queues stay. Returns the number of deleted rows.
   */
  forget(before: number, limit: number): Promise<number>;
}
