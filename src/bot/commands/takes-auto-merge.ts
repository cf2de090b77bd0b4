import type { TrainyardClient } from "../../client/client.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { readQueue } from "./read-queue.ts";

/** Whether the branch has a queue that accepts auto-merge as a command. */
export async function takesAutoMerge(
  client: TrainyardClient,
  repo: RepositoryRef,
  targetBranch: string,
): Promise<boolean> {
  return (await readQueue(client, repo, targetBranch))?.submitByAutoMerge ?? false;
}
