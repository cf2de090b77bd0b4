import { type Directory, installed } from "./directory.ts";
import type { QueueAddress } from "./queue-service.ts";

/** That a run of a fork's workflow speaks for the head of a pull request. */
export interface ForkRunClaim extends QueueAddress {
  /** Null: what was named is no run. */
  readonly runId: number | null;
  readonly pr: number;
  readonly headSha: string;
}

/** Why not is for the queue's owner, and not for whoever claims it. */
export type ForkRunVerdict =
  | "ACCEPTED"
  | "QUEUE_NOT_FOUND"
  | "RUN_NOT_FOUND"
  | "RUN_OF_OTHER_HEAD"
  | "RUN_OF_OTHER_PULL_REQUEST";

/** Asks the code host whether what a fork's workflow claims without a token is so. */
export class ForkRuns {
  readonly #directory: Directory;

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  /** @throws CodeHostFailure */
  async judge({ runId, pr, headSha, ...queue }: ForkRunClaim): Promise<ForkRunVerdict> {
    const found = await this.#directory.find(queue);
    if (!found.ok) return "QUEUE_NOT_FOUND";
    if (runId === null) return "RUN_NOT_FOUND";
    const run = await this.#directory.codeHost.readForkRun(installed(found.value), runId);
    if (!run) return "RUN_NOT_FOUND";
    if (run.headSha !== headSha) return "RUN_OF_OTHER_HEAD";
    // Another fork may hold the same commit: that it is the head does not make its run this pull request's.
    return run.pullRequests.includes(pr) ? "ACCEPTED" : "RUN_OF_OTHER_PULL_REQUEST";
  }
}
