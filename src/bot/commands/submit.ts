import { ApiError } from "../../client/client.ts";
import type { Command } from "../../command/parse-command.ts";
import { skipsTheLine } from "../../engine/model/entry.ts";
import type { BotParts } from "../parts.ts";
import { type Answer, done, refused } from "./answer.ts";
import { costText } from "./answer-text.ts";
import type { CommandContext, QueueBody } from "./execute-command.ts";
import { findEntry } from "./find-entry.ts";
import { isSubmittedAlready } from "./is-submitted-already.ts";
import { namedHead, submitAtProvenHead } from "./submit-at-proven-head.ts";
import { costOf, runsUnderWay } from "./urgent-cost.ts";

/** Submits a pull request at the head that the command is about. */
export async function submit(
  parts: BotParts,
  context: CommandContext,
  command: Extract<Command, { type: "merge" }>,
  queue: QueueBody,
): Promise<Answer> {
  const { pr, by, via } = context;
  const isUrgent = command.priority !== null && skipsTheLine({ priority: command.priority });
  const before = isUrgent ? await runsUnderWay(parts, queue) : [];
  // A label cannot be answered with a question.
  if (via === "comment" && command.confirmed === null) {
    const others = before.filter((run) => run.testedPullRequests.some(({ prNumber }) => prNumber !== pr));
    const frozen = isUrgent ? await frozenPullRequests(parts, context, queue) : [];
    if (others.length + frozen.length > 0 && !(await isUrgentAlready(parts, queue, pr)))
      return refused("COST_NOT_CONFIRMED", costText(others, frozen, pr, parts.clock.now()));
  }
  const sha = namedHead(command, context);
  const send = (seenHead: string | null) =>
    parts.client.submitPullRequest({
      ...queue,
      pr: { number: pr, ...(sha === null ? {} : { sha }) },
      ...(seenHead === null ? {} : { seenHead }),
      ...(command.priority === null ? {} : { priority: command.priority.value }),
      ...(command.noBatch === null ? {} : { noBatch: command.noBatch }),
      ...(command.title === null ? {} : { commitTitle: command.title }),
      ...(command.message === null ? {} : { commitMessage: command.message }),
      actor: { ...by, ...(command.reason === null ? {} : { reason: command.reason }) },
      via,
    });
  const entry =
    sha === null ? await submitUnlessDone(parts, context, command, queue, send) : await send(null);
  if ("done" in entry) return entry;
  return done(isUrgent ? await costOf(parts, queue, before, entry) : null);
}

/** Submits at the proven head. If that is refused because of a push since, the command may have submitted it before the push. */
async function submitUnlessDone<T extends object>(
  parts: BotParts,
  context: CommandContext,
  command: Extract<Command, { type: "merge" }>,
  queue: QueueBody,
  send: (seenHead: string | null) => Promise<T>,
): Promise<T | Answer> {
  let answer: T | Answer;
  try {
    answer = await submitAtProvenHead(parts, context, command, send);
  } catch (error) {
    const isPushed = error instanceof ApiError && error.code === "HEAD_MISMATCH";
    if (isPushed && (await isSubmittedAlready(parts, context, queue))) return done();
    throw error;
  }
  return "done" in answer && (await isSubmittedAlready(parts, context, queue)) ? done() : answer;
}

async function isUrgentAlready({ client }: BotParts, queue: QueueBody, pr: number): Promise<boolean> {
  const entry = await findEntry(client, queue.repo, queue.targetBranch, pr);
  return entry?.isCurrentlySubmittedToQueue === true && entry.skipTheLine;
}

/** Returns the other pull requests that passed and wait for the end of a freeze. An urgent pull request goes before them. */
async function frozenPullRequests(
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
