import type { Command } from "../command/parse-command.ts";
import { skipsTheLine } from "../engine/entry.ts";
import { type Answer, done, refused } from "./answer.ts";
import { pushedSinceText } from "./answer-text.ts";
import type { CommandContext, QueueBody } from "./carry-out.ts";
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
