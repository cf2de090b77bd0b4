/** How many requests all replicas together have counted. */
export interface RequestCountStore {
  /**
   * Adds requests of a second to those of other replicas. Returns the sums by key. Counts of earlier seconds are
   * deleted after a while.
   *
   * @param second seconds since the epoch
   */
  add(second: number, requests: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
}
