import { type AnswerOf, ApiError, type TrainyardClient } from "../../client/client.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";

export type QueueAnswer = AnswerOf<"getQueue">;

/** Returns the queue of a branch; null when it has none. */
export async function readQueue(
  client: TrainyardClient,
  { host, owner, name }: RepositoryRef,
  targetBranch: string,
): Promise<QueueAnswer | null> {
  try {
    return await client.getQueue({ repo: { host, owner, name }, targetBranch });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
