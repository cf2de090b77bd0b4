import { freezeAt } from "../command/current-freeze.ts";
import type { CommandContext, QueueBody } from "./carry-out.ts";
import type { BotParts } from "./parts.ts";

/** The other pull requests that have passed and wait for the end of a freeze: an urgent one takes their place. */
export async function frozenPullRequests(
  { client, files, clock }: BotParts,
  { repo, branch, pr }: CommandContext,
  queue: QueueBody,
): Promise<readonly number[]> {
  const parsed = await files.read(repo, branch);
  if (!parsed.ok || freezeAt(parsed.file.freezes, branch, clock.now()) === null) return [];
  const { enqueuedPullRequests } = await client.getQueue(queue);
  return enqueuedPullRequests
    .filter(({ state, skipTheLine, prNumber }) => state === "tests_passed" && !skipTheLine && prNumber !== pr)
    .map(({ prNumber }) => prNumber);
}
