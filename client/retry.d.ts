export interface RetryOptions {
    /** Maximum number of attempts; 1 = no retries. */
    readonly attempts: number;
    /** The delay before the second attempt, in milliseconds. It doubles with each further attempt. Default: 500. */
    readonly firstDelayMs?: number;
    /** If the service asks to wait for longer, the client gives up. In milliseconds. Default: 60,000. */
    readonly maxDelayMs?: number;
    readonly sleep?: (ms: number) => Promise<void>;
    /** Returns a number in [0, 1) on each call. */
    readonly random?: () => number;
}
/** Retries after temporary failures. Waits as long as the service asks, else with a growing backoff with jitter. */
export declare function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T>;
