import type { BotParts } from "../parts.ts";
import type { CommandContext, QueueBody } from "./execute-command.ts";
import { findEntry } from "./find-entry.ts";

/** The code host counts whole seconds, and its clock may be ahead of ours. An earlier submission must not be taken for this one. */
const clockErrorMs = 2_000;

/**
 * Whether a command that is refused now has submitted the pull request before. Its process may have ended before it noted that, and the
 * head may have changed before the command was handled again.
 */
export async function isSubmittedAlready(
  { client }: Pick<BotParts, "client">,
  { pr, by, via, givenAt }: CommandContext,
  queue: QueueBody,
): Promise<boolean> {
  const entry = await findEntry(client, queue.repo, queue.targetBranch, pr);
  if (!entry?.isCurrentlySubmittedToQueue) return false;
  if (entry.submittedBy !== by.login || entry.submittedVia !== via) return false;
  const since = new Date(givenAt - clockErrorMs).toISOString();
  const { pullRequests } = await client.listPullRequests({ ...queue, since, take: 100 });
  return pullRequests.some(({ prNumber }) => prNumber === pr);
}
