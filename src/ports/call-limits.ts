/** How much may be asked of the code host in the name of an installation. Times in milliseconds since the epoch. */
export interface CallLimits {
  /** Until then the code host wants no REST calls; 0: it never limited any. */
  readonly restStoppedUntil: number;
  /** The same of GraphQL calls, which have a budget of their own. */
  readonly graphqlStoppedUntil: number;
  /** How many contents (comments, merges, issues) may be created at `filledAt`, by the limit per minute. */
  readonly minuteTokens: number;
  /** The same by the limit per hour. */
  readonly hourTokens: number;
  readonly filledAt: number;
}

/** Shared by every process that calls the code host. */
export interface CallLimitStore {
  /** Null: nothing was noted yet. */
  get(installationId: number): Promise<CallLimits | null>;
  /** Reads, changes, and writes in one transaction; answers what was written. */
  update(installationId: number, change: (known: CallLimits | null) => CallLimits): Promise<CallLimits>;
}
