import { type AnswerOf, ApiError } from "../../client/client.ts";
import type { Command } from "../../command/parse-command.ts";
import { skipsTheLine } from "../../engine/model/entry.ts";
import { isSameName } from "../../engine/model/names.ts";
import type { Bot } from "../bot.ts";
import { type Answer, done, refused } from "./answer.ts";
import { costText, interruptionText, tryText } from "./answer-text.ts";
import type { CommandContext, QueueBody } from "./execute-command.ts";
import { findEntry } from "./queues.ts";
import { namedHead, submitAtProvenHead } from "./submit-at-proven-head.ts";

/** Submits a pull request at the head that the command is about. */
export async function submit(
  bot: Bot,
  context: CommandContext,
  command: Extract<Command, { type: "merge" }>,
  queue: QueueBody,
): Promise<Answer> {
  const { pr, by, via } = context;
  const isUrgent = command.priority !== null && skipsTheLine({ priority: command.priority });
  const before = isUrgent ? await runsUnderWay(bot, queue) : [];
  // Only a comment can be answered with a question.
  if (via === "comment" && command.confirmed === null) {
    const others = before.filter((run) => run.testedPullRequests.some(({ prNumber }) => prNumber !== pr));
    const frozen = isUrgent ? await frozenPullRequests(bot, context, queue) : [];
    if (others.length + frozen.length > 0 && !(await isUrgentAlready(bot, queue, pr)))
      return refused("COST_NOT_CONFIRMED", costText(others, frozen, pr, bot.clock.now()));
  }
  const sha = namedHead(command, context);
  const send = (seenHead: string | null) =>
    bot.client.submitPullRequest({
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
  const entry = sha === null ? await submitUnlessDone(bot, context, command, queue, send) : await send(null);
  if ("done" in entry) return entry;
  return done(isUrgent ? await costOf(bot, queue, before, entry) : null);
}

/**
 * Submits at the proven head. If that is refused because of a later push, checks whether the command has already submitted the pull request
 * before the push.
 */
async function submitUnlessDone<T extends object>(
  bot: Bot,
  context: CommandContext,
  command: Extract<Command, { type: "merge" }>,
  queue: QueueBody,
  send: (seenHead: string | null) => Promise<T>,
): Promise<T | Answer> {
  let answer: T | Answer;
  try {
    answer = await submitAtProvenHead(bot, context, command, send);
  } catch (error) {
    const isPushed = error instanceof ApiError && error.code === "HEAD_MISMATCH";
    if (isPushed && (await isSubmittedAlready(bot, context, queue))) return done();
    throw error;
  }
  return "done" in answer && (await isSubmittedAlready(bot, context, queue)) ? done() : answer;
}

async function isUrgentAlready({ client }: Bot, queue: QueueBody, pr: number): Promise<boolean> {
  const entry = await findEntry(client, queue.repo, queue.targetBranch, pr);
  return entry?.isCurrentlySubmittedToQueue === true && entry.skipTheLine;
}

/** Returns the other pull requests that passed and wait for the end of a freeze. An urgent pull request goes before them. */
async function frozenPullRequests(
  { client }: Bot,
  { pr }: CommandContext,
  queue: QueueBody,
): Promise<readonly number[]> {
  const { freeze, enqueuedPullRequests } = await client.getQueue(queue);
  if (freeze === null) return [];
  return enqueuedPullRequests
    .filter(({ state, skipTheLine, prNumber }) => state === "tests_passed" && !skipTheLine && prNumber !== pr)
    .map(({ prNumber }) => prNumber);
}

/** The code host's times are whole seconds, and its clock may be ahead of ours. An earlier submission must not be taken for this one. */
const clockErrorMs = 2_000;

/**
 * Whether a command that is refused now has submitted the pull request before. Its process may have ended before it recorded that, and the
 * head may have changed before the delivery was handled again.
 */
async function isSubmittedAlready(
  { client }: Bot,
  { pr, by, via, givenAt }: CommandContext,
  queue: QueueBody,
): Promise<boolean> {
  const entry = await findEntry(client, queue.repo, queue.targetBranch, pr);
  if (!entry?.isCurrentlySubmittedToQueue) return false;
  if (!isSameName(entry.submittedBy, by.login) || entry.submittedVia !== via) return false;
  const since = new Date(givenAt - clockErrorMs).toISOString();
  const { pullRequests } = await client.listPullRequests({ ...queue, since, take: 100 });
  return pullRequests.some(({ prNumber }) => prNumber === pr);
}

type TestingDetails = Extract<AnswerOf<"getMergeQueueTestingDetails">, { testRunId: string }>;

async function runsUnderWay({ client }: Bot, queue: QueueBody): Promise<readonly TestingDetails[]> {
  const answer = await client.getMergeQueueTestingDetails(queue);
  return "testRuns" in answer ? answer.testRuns : [answer];
}

/** Describes which of the earlier test runs an urgent pull request has interrupted, and what that costs. */
async function costOf(
  bot: Bot,
  queue: QueueBody,
  before: readonly TestingDetails[],
  entry: Pick<AnswerOf<"submitPullRequest">, "prNumber" | "state">,
): Promise<string> {
  const after = new Set((await runsUnderWay(bot, queue)).map(({ testRunId }) => testRunId));
  const ended = await Promise.all(
    before.filter(({ testRunId }) => !after.has(testRunId)).map((run) => reread(bot, queue, run)),
  );
  const interrupted = ended.flatMap((run) => (run?.status === "cancelled" ? [run] : []));
  return interruptionText(interrupted, after.size, entry);
}

async function reread(
  { client }: Bot,
  queue: QueueBody,
  { testRunId }: TestingDetails,
): Promise<TestingDetails | null> {
  try {
    const answer = await client.getMergeQueueTestingDetails({ ...queue, testRunId });
    return "testRuns" in answer ? null : answer;
  } catch (error) {
    // Old runs are deleted eventually.
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Tries a pull request at the head that the command is about. */
export async function tryPullRequest(
  bot: Bot,
  context: CommandContext,
  command: Extract<Command, { type: "try" }>,
  queue: QueueBody,
): Promise<Answer> {
  const { pr, by, via } = context;
  const sha = namedHead(command, context);
  const send = (seenHead: string | null) =>
    bot.client.tryPullRequest({
      ...queue,
      pr: { number: pr, ...(sha === null ? {} : { sha }) },
      ...(seenHead === null ? {} : { seenHead }),
      actor: by,
      via,
    });
  const tried = sha === null ? await submitAtProvenHead(bot, context, command, send) : await send(null);
  if ("done" in tried) return tried;
  const text = tryText(tried, queue.targetBranch, bot.settings.commandPrefix);
  return { done: true, text, about: "try" };
}

/** Ends the try of a pull request that is not queued. Returns whether there was one. */
export async function cancelTry(
  { client }: Bot,
  { pr, by, via }: CommandContext,
  queue: QueueBody,
): Promise<boolean> {
  const entry = await findEntry(client, queue.repo, queue.targetBranch, pr);
  if (entry?.isCurrentlySubmittedToQueue) return false;
  return (await client.cancelTry({ ...queue, pr: { number: pr }, actor: by, via })).cancelled;
}
