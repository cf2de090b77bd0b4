import type { Reason } from "../../reasons/reason.ts";
import type { Actor, Channel } from "../actor.ts";
import type { TestRun } from "../test-run.ts";

/**
 * A test of a pull request by itself on the base. It is not a queue entry: no test is built on it, and merges ignore it. Its head is
 * pinned: a push ends it.
 */
export interface Try {
  readonly pr: number;
  readonly headSha: string;
  readonly headRef: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly url: string;
  readonly askedBy: Actor;
  readonly askedVia: Channel;
  readonly askedAt: number;
  /** null = it waits for a free slot. */
  readonly run: TestRun | null;
  /** The number of times that its commit could not be built because of an outage. */
  readonly attempts: number;
  /** It does not start before this time; null = it starts as soon as a slot is free. */
  readonly retryAt: number | null;
}

/** How a try ended. `stopped` = without a verdict. */
export type TryVerdict = "passed" | "failed" | "stopped";

/** The report to people about an ended try. */
export interface TryReport {
  readonly headSha: string;
  /** The base SHA that it was tested on; null = its test commit was not built. */
  readonly baseSha: string | null;
  readonly verdict: TryVerdict;
  readonly reason: Reason;
}
