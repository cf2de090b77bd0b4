/** What is kept about pull requests after they have left their queues. */
export interface HistoryStore {
  /**
   * Deletes at most `limit` rows of each kind that are older than `before`: pull requests and test runs that have ended, and
   * heads and impacted targets of pull requests, and what was posted on pull requests that are in no queue and not remembered any
   * more. Returns the number of deleted rows.
   */
  forget(before: number, limit: number): Promise<number>;
  /**
   * Compresses the events of a queue that happened before a time. They can be read as before. Returns whether something was
   * compressed, and more may be left.
   */
  archiveEvents(queueId: string, before: number): Promise<boolean>;
  /** The ids of all queues, deleted ones included. */
  queueIds(): Promise<readonly string[]>;
}
