import { type AnswerOf, ApiError, type TrainyardClient } from "../../client/client.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Bot } from "../bot.ts";
import type { CommandContext } from "./execute-command.ts";

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

/** Whether the branch has a queue that accepts auto-merge as a command. */
export async function takesAutoMerge(
  client: TrainyardClient,
  repo: RepositoryRef,
  targetBranch: string,
): Promise<boolean> {
  return (await readQueue(client, repo, targetBranch))?.submitByAutoMerge ?? false;
}

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

/**
 * Returns the branch of another queue of the repository in which a pull request is; null when there is none. It may wait there until its
 * base branch is changed. A label or auto-merge finds only what it has submitted.
 */
export async function findOtherQueue(
  { client, queuesOf }: Bot,
  { repo, pr, branch, via }: CommandContext,
): Promise<string | null> {
  for (const { branch: other } of await queuesOf(repo)) {
    if (other === branch) continue;
    const entry = await findEntry(client, repo, other, pr);
    if (entry?.isCurrentlySubmittedToQueue && (via === "comment" || entry.submittedVia === via)) return other;
  }
  return null;
}

/**
 * Returns the branch whose queue a command is about, after its queue was not found. The branch may have been renamed, so that the queue or
 * the command has the former name. Null when the branch has no queue.
 */
export async function findRenamedQueue(
  { baseBranchOf, queuesOf, reach }: Bot,
  { repo, pr }: CommandContext,
): Promise<string | null> {
  for (const { id } of await queuesOf(repo)) await reach.check(id);
  const queues = await queuesOf(repo);
  const [first] = queues;
  const base = first ? await baseBranchOf(repo, pr) : null;
  const present = first && base !== null ? await reach.presentBranch(first.id, base) : null;
  return queues.some((queue) => queue.branch === present) ? present : null;
}
