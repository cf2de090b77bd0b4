import type { BotParts } from "../parts.ts";
import type { CommandContext } from "./execute-command.ts";

/**
 * Returns the branch whose queue a command is about, after its queue was not found: the branch may have been renamed, and the queue or the
 * command may have its former name. Null when the branch has no queue.
 */
export async function findRenamedQueue(
  { baseBranchOf, queuesOf, reach }: Pick<BotParts, "baseBranchOf" | "queuesOf" | "reach">,
  { repo, pr }: CommandContext,
): Promise<string | null> {
  for (const { id } of await queuesOf(repo)) await reach.check(id);
  const queues = await queuesOf(repo);
  const [first] = queues;
  const base = first ? await baseBranchOf(repo, pr) : null;
  const present = first && base !== null ? await reach.presentBranch(first.id, base) : null;
  return queues.some((queue) => queue.branch === present) ? present : null;
}
