import { type AnswerOf, ApiError, type TrainyardClient } from "../../client/client.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";

/** Returns the entry of a pull request in the queue of a branch; null when it was never submitted there. */
export async function findEntry(
  client: TrainyardClient,
  { host, owner, name }: RepositoryRef,
  targetBranch: string,
  number: number,
): Promise<AnswerOf<"getSubmittedPullRequest"> | null> {
  try {
    return await client.getSubmittedPullRequest({
      repo: { host, owner, name },
      targetBranch,
      pr: { number },
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
