import type { BotParts } from "../parts.ts";
import type { CommandContext } from "./execute-command.ts";
import { findEntry } from "./find-entry.ts";

/**
 * Returns the branch of another queue of the repository in which a pull request is; null when there is none. It may wait there for its base
 * branch to be changed. A label or auto-merge finds only what it has submitted.
 */
export async function findOtherQueue(
  { client, queuesOf }: Pick<BotParts, "client" | "queuesOf">,
  { repo, pr, branch, via }: CommandContext,
): Promise<string | null> {
  for (const { branch: other } of await queuesOf(repo)) {
    if (other === branch) continue;
    const entry = await findEntry(client, repo, other, pr);
    if (entry?.isCurrentlySubmittedToQueue && (via === "comment" || entry.submittedVia === via)) return other;
  }
  return null;
}
