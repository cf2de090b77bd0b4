import { ApiError, type TrainyardClient } from "../client/client.ts";
import type { RepositoryRef } from "../engine/queue.ts";

/** Whether the branch has a queue that takes auto-merge for a command. */
export async function takesAutoMerge(
  client: TrainyardClient,
  { host, owner, name }: RepositoryRef,
  targetBranch: string,
): Promise<boolean> {
  try {
    return (await client.getQueue({ repo: { host, owner, name }, targetBranch })).submitByAutoMerge;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
