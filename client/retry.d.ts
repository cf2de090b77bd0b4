export interface RetryOptions {
    /** How often to try in all; 1 = no retries. */
    readonly attempts: number;
    /** Before the second attempt; it doubles from there. Default: 500. */
    readonly firstDelayMs?: number;
    /** Who is asked to wait for longer gives up instead. Default: 60,000. */
    readonly maxDelayMs?: number;
    readonly sleep?: (ms: number) => Promise<void>;
    /** A number in [0, 1) on each call. */
    readonly random?: () => number;
}
/** Repeats what failed for a passing reason, waiting as long as the service asks, else for a growing, jittered while. */
export declare function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T>;
