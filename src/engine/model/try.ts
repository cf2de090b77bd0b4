import type { Reason } from "../reasons/reason.ts";
import type { Actor, Channel } from "./actor.ts";
import type { TestRun } from "./test-run.ts";

/**
 * A pull request that is tested on the base by itself. It is no entry: nothing is stacked on it, and nothing that merges looks at it. Its
 * head is pinned: a push ends it.
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
  /** null: it waits for a free slot. */
  readonly run: TestRun | null;
  /** How often its commit could not be made because of an outage. */
  readonly attempts: number;
  /** Not to be started before this time; null: as soon as a slot is free. */
  readonly retryAt: number | null;
}

/** How a try ended. `stopped`: it has no verdict. */
export type TryVerdict = "passed" | "failed" | "stopped";

/** What people are told of a try that has ended. */
export interface TryReport {
  readonly headSha: string;
  /** The commit of the base that it was tested on; null: its test commit was not made. */
  readonly baseSha: string | null;
  readonly verdict: TryVerdict;
  readonly reason: Reason;
}
