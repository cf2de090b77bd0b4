import type { Command } from "../../command/parse-command.ts";
import type { BotParts } from "../parts.ts";
import type { Answer } from "./answer.ts";
import { tryText } from "./answer-text.ts";
import type { CommandContext, QueueBody } from "./execute-command.ts";
import { findEntry } from "./find-entry.ts";
import { namedHead, submitAtProvenHead } from "./submit-at-proven-head.ts";

/** Tries a pull request at the head that the command is about. */
export async function tryPullRequest(
  parts: BotParts,
  context: CommandContext,
  command: Extract<Command, { type: "try" }>,
  queue: QueueBody,
): Promise<Answer> {
  const { pr, by, via } = context;
  const sha = namedHead(command, context);
  const send = (seenHead: string | null) =>
    parts.client.tryPullRequest({
      ...queue,
      pr: { number: pr, ...(sha === null ? {} : { sha }) },
      ...(seenHead === null ? {} : { seenHead }),
      actor: by,
      via,
    });
  const tried = sha === null ? await submitAtProvenHead(parts, context, command, send) : await send(null);
  if ("done" in tried) return tried;
  const text = tryText(tried, queue.targetBranch, parts.settings.commandPrefix);
  return { done: true, text, about: "try" };
}

/** Ends the try of a pull request that is not queued. Returns whether there was one. */
export async function cancelTry(
  { client }: BotParts,
  { pr, by, via }: CommandContext,
  queue: QueueBody,
): Promise<boolean> {
  const entry = await findEntry(client, queue.repo, queue.targetBranch, pr);
  if (entry?.isCurrentlySubmittedToQueue) return false;
  return (await client.cancelTry({ ...queue, pr: { number: pr }, actor: by, via })).cancelled;
}
