import type { Command } from "../command/parse-command.ts";
import { skipsTheLine } from "../engine/entry.ts";
import { type Answer, done, refused } from "./answer.ts";
import { costText, pushedSinceText } from "./answer-text.ts";
import type { CommandContext, QueueBody } from "./carry-out.ts";
import { findEntry } from "./find-entry.ts";
import type { BotParts } from "./parts.ts";
import { costOf, runsUnderWay } from "./urgent-cost.ts";

/** Submits a pull request at the head that the command is about. */
export async function submit(
  parts: BotParts,
  { pr, by, via, head, seen }: CommandContext,
  command: Extract<Command, { type: "merge" }>,
  queue: QueueBody,
): Promise<Answer> {
  const sha = command.sha ?? head;
  if (sha === null && seen?.pushed === "after") {
    return refused("PUSHED_SINCE", pushedSinceText(pr, seen.sha, parts.settings.commandPrefix));
  }
  const isUrgent = command.priority !== null && skipsTheLine({ priority: command.priority });
  const before = isUrgent ? await runsUnderWay(parts, queue) : [];
  // A label cannot be asked back.
  if (via === "comment" && command.confirmed === null) {
    const others = before.filter((run) => run.testedPullRequests.some(({ prNumber }) => prNumber !== pr));
    if (others.length > 0 && !(await isUrgentAlready(parts, queue, pr)))
      return refused("COST_NOT_CONFIRMED", costText(others, pr, parts.clock.now()));
  }
  const entry = await parts.client.submitPullRequest({
    ...queue,
    pr: { number: pr, ...(sha === null ? {} : { sha }) },
    ...(sha === null && seen !== null ? { seenHead: seen.sha } : {}),
    ...(command.priority === null ? {} : { priority: command.priority.value }),
    ...(command.noBatch === null ? {} : { noBatch: command.noBatch }),
    actor: { ...by, ...(command.reason === null ? {} : { reason: command.reason }) },
    via,
  });
  return done(isUrgent ? await costOf(parts, queue, before, entry) : null);
}

async function isUrgentAlready({ client }: BotParts, queue: QueueBody, pr: number): Promise<boolean> {
  const entry = await findEntry(client, queue.repo, queue.targetBranch, pr);
  return entry?.isCurrentlySubmittedToQueue === true && entry.skipTheLine;
}
