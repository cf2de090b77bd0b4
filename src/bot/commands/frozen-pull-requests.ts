import type { BotParts } from "../parts.ts";
import type { CommandContext, QueueBody } from "./execute-command.ts";

/** Returns the other pull requests that passed and wait for the end of a freeze. An urgent pull request goes before them. */
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
