import type { CommandContext, QueueBody } from "./carry-out.ts";
import type { BotParts } from "./parts.ts";

/** The other pull requests that have passed and wait for the end of a freeze: an urgent one takes their place. */
export async function frozenPullRequests(
  { client }: BotParts,
  { pr }: CommandContext,
  queue: QueueBody,
): Promise<readonly number[]> {
  const { freeze, enqueuedPullRequests } = await client.getQueue(queue);
  if (freeze === null) return [];
  return enqueuedPullRequests
    .filter(({ state, skipTheLine, prNumber }) => state === "tests_passed" && !skipTheLine && prNumber !== pr)
    .map(({ prNumber }) => prNumber);
}
