import type { RepositoryRef } from "../engine/model/queue.ts";
import type { QueueRecord } from "../ports/queue-store.ts";
import { type Directory, installed } from "./directory.ts";

/** What a fork's workflow says that it speaks for: the head of a pull request. */
export interface ForkClaim {
  readonly repo: RepositoryRef;
  /** Of the queue that it is about; null = any of the repository's. */
  readonly branch: string | null;
  readonly pr: number;
  readonly headSha: string;
}

/** That a run of a fork's workflow speaks for it. */
export interface ForkRunClaim extends ForkClaim {
  /** Null: what was named is no run. */
  readonly runId: number | null;
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
  async judge({ runId, pr, headSha, repo, branch }: ForkRunClaim): Promise<ForkRunVerdict> {
    const queue = await this.#queueOf(repo, branch);
    if (!queue) return "QUEUE_NOT_FOUND";
    if (runId === null) return "RUN_NOT_FOUND";
    const run = await this.#directory.codeHost.readForkRun(installed(queue), runId);
    if (!run) return "RUN_NOT_FOUND";
    if (run.headSha !== headSha) return "RUN_OF_OTHER_HEAD";
    // Another fork may hold the same commit: that it is the head does not make its run this pull request's.
    return run.pullRequests.includes(pr) ? "ACCEPTED" : "RUN_OF_OTHER_PULL_REQUEST";
  }

  /** Without a queue nothing is asked: strangers would spend the App's own calls. */
  async #queueOf(repo: RepositoryRef, branch: string | null): Promise<QueueRecord | null> {
    if (branch === null) return (await this.#directory.ofRepository(repo))[0] ?? null;
    const found = await this.#directory.find({ repo, branch });
    return found.ok ? found.value : null;
  }
}
