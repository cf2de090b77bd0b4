import { type AnswerOf, ApiError } from "../../client/client.ts";
import type { Command } from "../../command/parse-command.ts";
import type { Bot } from "../bot.ts";
import { type Answer, done, refused, refusedByQueue } from "./answer.ts";
import {
  helpText,
  mergedBeforeText,
  noQueueText,
  notInQueueText,
  queueStateText,
  refusalText,
  restartedText,
  statusText,
  tryEndedText,
} from "./answer-text.ts";
import { answerWithoutAction, isTriedLater, noteCommand } from "./last-command.ts";
import { findOtherQueue, findRenamedQueue } from "./queues.ts";
import { cancelTry, submit, tryPullRequest } from "./submit.ts";
import type { GivenCommand } from "./submit-at-proven-head.ts";

export interface CommandContext extends GivenCommand {
  /** The command's id, which is the same when its delivery is handled again. */
  readonly id: string;
  /** The number of the comment that gives the command, which increases with time. 0 = no comment gives it. */
  readonly comment: number;
  /** The branch that the pull request is to be merged into. */
  readonly branch: string;
  readonly via: "comment" | "label" | "auto_merge" | "check";
  /** The head that the command is about, if its webhook names one. Webhooks of labels do, those of comments do not. */
  readonly head: string | null;
}

/** The fields that identify a queue in the API. */
export interface QueueBody {
  readonly repo: { readonly host: string; readonly owner: string; readonly name: string };
  readonly targetBranch: string;
}

const neverHere: ReadonlySet<string> = new Set(["NEVER_SUBMITTED", "NOT_QUEUED"]);

const states = { pause: "paused", resume: "running", drain: "draining" } as const;

/**
 * Sends a command to the queue and returns the outcome.
 *
 * @param isRedirected whether the command was sent to another branch before, which has no queue, or whose queue does not know the pull
 * request
 */
export async function executeCommand(
  bot: Bot,
  context: CommandContext,
  command: Command,
  isRedirected = false,
): Promise<Answer> {
  if (command.type === "help")
    return { done: true, text: helpText(bot.settings.commandPrefix), about: "commands" };
  const queues = await bot.queuesOf(context.repo);
  const queue = queues.find(({ branch }) => branch === context.branch);
  const queueId = queue?.id ?? null;
  const known = await answerWithoutAction(bot, context, command, queueId);
  if (known) return known;
  let answer: Answer;
  try {
    answer = await send(bot, context, command);
  } catch (error) {
    const other = isRedirected ? null : await queueElsewhere(bot, context, command, error);
    if (other !== null) return executeCommand(bot, { ...context, branch: other }, command, true);
    const branches = queues.map(({ branch }) => branch);
    answer = refusalOf(error, bot, context, command, branches);
  }
  await noteCommand(bot, context, command, answer, queueId);
  return answer;
}

/**
 * Returns the refusal in an error. @throws the error itself if it is a failure, or if the refusal may be temporary: the command is then
 * tried again
 */
function refusalOf(
  error: unknown,
  bot: Bot,
  context: CommandContext,
  command: Command,
  branches: readonly string[],
): Answer {
  const isRefusal = error instanceof ApiError && error.status < 500 && error.status !== 429;
  if (!isRefusal || mayPass(error, command)) throw error;
  return refusedByQueue(error.code ?? String(error.status), textOf(error, bot, context, command, branches));
}

/** Returns the branch of another queue that a refused command is about; null when there is none. */
async function queueElsewhere(
  bot: Bot,
  context: CommandContext,
  { type }: Command,
  error: unknown,
): Promise<string | null> {
  const code = error instanceof ApiError ? error.code : null;
  if (code === "QUEUE_NOT_FOUND") return findRenamedQueue(bot, context);
  const isAboutEntry = type === "cancel" || type === "restart" || type === "status";
  return isAboutEntry && neverHere.has(code ?? "") ? findOtherQueue(bot, context) : null;
}

/** The API's text says which endpoint to use. A comment needs advice for the pull request instead. */
function textOf(
  { code, detail }: ApiError,
  { settings }: Bot,
  { pr, branch }: CommandContext,
  { type }: Command,
  branches: readonly string[],
): string {
  if (code === "QUEUE_NOT_FOUND") return noQueueText(branch, branches);
  if (code === "NEVER_SUBMITTED" || code === "NOT_QUEUED") return notInQueueText(pr, settings.commandPrefix);
  return refusalText(detail, pr, type, settings.commandPrefix);
}

/**
 * Whether a refusal is temporary, so that the command is retried. GitHub denies permitted calls during incidents, and names an earlier base
 * branch for a moment after a change. A `cancel` during a merge call may still succeed, because the call may turn out not to have merged
 * the pull request.
 */
function mayPass({ code }: ApiError, { type }: Command): boolean {
  if (code === "MERGE_ALREADY_ORDERED") return type === "cancel";
  return code === "CODE_HOST_DENIED" || code === "OTHER_QUEUE";
}

async function send(
  bot: Bot,
  context: CommandContext,
  command: Exclude<Command, { type: "help" }>,
): Promise<Answer> {
  const { client } = bot;
  const { by, via, branch: targetBranch } = context;
  const { installationId: _, ...repo } = context.repo;
  const queue: QueueBody = { repo, targetBranch };
  const pr = { number: context.pr };
  switch (command.type) {
    case "merge":
      return submit(bot, context, command, queue);
    case "try":
      return tryPullRequest(bot, context, command, queue);
    case "cancel":
      if (via === "comment" && !(await isTriedLater(bot, context)) && (await cancelTry(bot, context, queue)))
        return { done: true, text: tryEndedText(), about: "try" };
      return answerCancel(context, await client.cancelPullRequest({ ...queue, pr, actor: by, via }));
    case "restart":
      await client.restartTestsOnPullRequest({ ...queue, pr, actor: by, via });
      return done(restartedText());
    case "status":
      return done(
        statusText(await client.explainPullRequest({ ...queue, pr }), queue.targetBranch, bot.clock.now()),
      );
    case "pause":
    case "resume":
    case "drain": {
      const { reason, type } = command;
      const actor = { ...by, ...(reason === null ? {} : { reason }) };
      const { state } = await client.updateQueue({ ...queue, state: states[type], actor, via });
      return done(queueStateText(queue.targetBranch, state, reason, bot.settings.commandPrefix));
    }
  }
}

/** A pull request that has ended in another way needs no cancel. Labels are removed even after a merge. */
function answerCancel(
  { via, givenAt }: CommandContext,
  { state, stateChangedAt, prNumber }: AnswerOf<"cancelPullRequest">,
): Answer {
  const isTooLate = state === "merged" && (via === "comment" || givenAt <= Date.parse(stateChangedAt));
  return isTooLate ? refused("MERGED_BEFORE", mergedBeforeText(prNumber)) : done();
}
