import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import { type Directory, installed } from "../runtime/directory.ts";

/** The pull request head that a fork's workflow claims to act for. */
export interface ForkClaim {
  readonly repo: RepositoryRef;
  /** The branch of the queue; null for any queue of the repository. */
  readonly branch: string | null;
  readonly pr: number;
  readonly headSha: string;
}

/** The claim, with the workflow run that makes it. */
export interface ForkRunClaim extends ForkClaim {
  /** Null when the claim names no valid run id. */
  readonly runId: number | null;
}

/** The reason of a refusal is for the queue's owner, not for the caller. */
export type ForkRunVerdict =
  | "ACCEPTED"
  | "QUEUE_NOT_FOUND"
  | "RUN_NOT_FOUND"
  | "RUN_OF_OTHER_HEAD"
  | "RUN_OF_OTHER_PULL_REQUEST";

/** Verifies at the code host what a fork's workflow claims without a token. */
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
    // Another fork may have the same commit. A matching head alone does not make the run this pull request's.
    return run.pullRequests.includes(pr) ? "ACCEPTED" : "RUN_OF_OTHER_PULL_REQUEST";
  }

  /** Without a queue the code host is not asked: otherwise strangers could use up the App's calls. */
  async #queueOf(repo: RepositoryRef, branch: string | null): Promise<QueueRecord | null> {
    if (branch === null) return (await this.#directory.ofRepository(repo))[0] ?? null;
    const found = await this.#directory.find({ repo, branch });
    return found.ok ? found.value : null;
  }
}
