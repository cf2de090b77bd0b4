import type { Claim, PlannedTask } from "../../src/store/leased/outbox.ts";

/** A due task about a pull request, by default in the stream `work`. */
export function buildTask(pr: number, given: Partial<PlannedTask> = {}): PlannedTask {
  return {
    task: { type: "observe_pull_request", queueId: "queue-1", pr },
    stream: "work",
    notBefore: 0,
    coalesce: false,
    ...given,
  };
}

/** A claim of up to 100 rows for 1,000 milliseconds. */
export function buildClaim(now: number, given: Partial<Claim> = {}): Claim {
  return { owner: "worker-1", now, leaseMs: 1_000, limit: 100, ...given };
}
