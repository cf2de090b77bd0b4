/** The call limits of one installation at the code host. Times are in milliseconds since the epoch. */
export interface CallLimits {
  /** The code host accepts no REST calls until this time; 0 if it never limited any. */
  readonly restStoppedUntil: number;
  /** The same for GraphQL calls, which have a separate budget. */
  readonly graphqlStoppedUntil: number;
  /**
   * How many contents (comments, merges, issues) could be created at `filledAt` under the per-minute limit.
   */
  readonly minuteTokens: number;
  /** The same under the per-hour limit. */
  readonly hourTokens: number;
  readonly filledAt: number;
}

/** Shared by every process that calls the code host. */
export interface CallLimitStore {
  /** Null when nothing was recorded yet. */
  get(installationId: number): Promise<CallLimits | null>;
  /** Reads, changes and writes in one transaction. Returns the written value. */
  update(installationId: number, change: (known: CallLimits | null) => CallLimits): Promise<CallLimits>;
}
