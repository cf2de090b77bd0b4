import type { AnswerOf } from "../../client/client.ts";
import type { Command, Verb } from "../../command/parse-command.ts";
import type { LoggedCommand } from "../../store/queue/command-log.ts";
import type { Bot } from "../bot.ts";
import { type Answer, refused } from "./answer.ts";
import { supersededText } from "./answer-text.ts";
import type { CommandContext } from "./execute-command.ts";

/**
 * Commands of one group contradict each other, so the last one counts, regardless of the order of arrival. A `try` does not contradict an
 * earlier `merge`, because the queue would have refused it.
 */
const groups: Readonly<Partial<Record<Verb, "pull_request" | "try" | "tests" | "queue">>> = {
  merge: "pull_request",
  try: "try",
  cancel: "pull_request",
  restart: "tests",
  pause: "queue",
  resume: "queue",
  drain: "queue",
};

/**
 * Returns the answer to a command that must not be carried out, because an earlier attempt to handle its delivery has carried it out, or
 * because a command that was given later was carried out. Null = it must be carried out.
 *
 * @param queueId null = not known
 */
export async function answerWithoutAction(
  { commands, settings }: Bot,
  context: CommandContext,
  { type }: Command,
  queueId: string | null,
): Promise<Answer | null> {
  const answered = context.via === "comment" && (await commands.last(context.repo, answeredSubject(context)));
  if (answered) return JSON.parse(answered.answer);
  const subject = subjectOf(context, type, queueId);
  const last = subject === null ? null : await commands.last(context.repo, subject);
  if (last === null) return null;
  if (last.id === context.id || isFoundBefore(last, context, type)) return JSON.parse(last.answer);
  if (!isLater(last, context)) return null;
  return refused("SUPERSEDED", supersededText(type, context.givenAt, last, settings.commandPrefix));
}

/** Whether polling found a change whose webhook has arrived only now. */
function isFoundBefore(last: LoggedCommand, { id, givenAt }: CommandContext, verb: Verb): boolean {
  return isFoundChange(last.id) && !isFoundChange(id) && last.verb === verb && last.at === givenAt;
}

/** The maximum difference between the time of a label and that of its pull request. Its webhook contains only the latter. */
const sameMs = 2_000;

/**
 * Whether a change that polling found needs no handling. If no command is known, any later change of the entry is enough. If one is known,
 * only its own webhook, or a later failure of this head or cancel by the API, is enough, because other changes of the entry may have been
 * noticed late.
 */
export async function isSettled(
  { commands }: Bot,
  found: Pick<CommandContext, "repo" | "pr" | "branch" | "via" | "givenAt"> & {
    readonly currentHead: string;
  },
  { type }: Command,
  entry: Pick<AnswerOf<"getSubmittedPullRequest">, "stateChangedAt" | "reason" | "state" | "prSha"> | null,
): Promise<boolean> {
  const hasChanged = entry !== null && Date.parse(entry.stateChangedAt) >= found.givenAt;
  const subject = subjectOf(found, type, null);
  const last = subject === null ? null : await commands.last(found.repo, subject);
  if (last === null) return hasChanged;
  if (last.verb === type && Math.abs(last.at - found.givenAt) <= sameMs) return true;
  const hasFailed = entry?.state === "failed" && entry.prSha === found.currentHead;
  return hasChanged && (hasFailed || entry?.reason === "CANCELLED_BY_API");
}

/**
 * Remembers a command that decided something. A `cancel` always does, because afterwards the pull request is not queued. Also remembers
 * every answer to a comment, so that a delivery that is handled again gets the same answer, even after a later command. Exception: a
 * command that found no queue is handled again under the repository's current name.
 *
 * @param queueId null = not known
 */
export async function noteCommand(
  { commands }: Bot,
  context: CommandContext,
  { type }: Command,
  answer: Answer,
  queueId: string | null,
): Promise<void> {
  const decides = answer.done || type === "cancel";
  const isFinal = context.via === "comment" && (answer.done || answer.code !== "QUEUE_NOT_FOUND");
  const { id, comment, givenAt: at } = context;
  const given = { id, comment, verb: type, at, answer: JSON.stringify(answer) };
  const decided = decides ? subjectOf(context, type, queueId) : null;
  if (decided !== null) await commands.record(context.repo, decided, given, queueId);
  // It also ends an earlier try.
  if (decided !== null && type === "cancel")
    await commands.record(context.repo, triedSubject(context), given, queueId);
  if (isFinal) await commands.record(context.repo, answeredSubject(context), given, queueId);
}

/** Whether a try was requested after a `cancel`, which must not end that try. */
export async function isTriedLater({ commands }: Bot, context: CommandContext): Promise<boolean> {
  const last = await commands.last(context.repo, triedSubject(context));
  return last !== null && isLater(last, context);
}

const triedSubject = ({ pr }: CommandContext): string => `try/${pr}`;

const answeredSubject = ({ id }: CommandContext): string => `answered/${id}`;

/** The code host's times are whole seconds. Within one second, only comments have an order. */
function isLater(last: LoggedCommand, { givenAt, comment }: CommandContext): boolean {
  if (last.at !== givenAt) return last.at > givenAt;
  return comment > 0 && last.comment > comment;
}

/**
 * Identifies what a command is about. Null if no other command can contradict it. Also null for the re-run of a check, because its time is
 * not by GitHub's clock, and proves no order. Uses the branch's name only if the queue is not known, because a branch can be renamed.
 */
function subjectOf(
  { pr, branch, via }: Pick<CommandContext, "pr" | "branch" | "via">,
  verb: Verb,
  queueId: string | null,
): string | null {
  const group = groups[verb];
  if (group === undefined || via === "check") return null;
  return group === "queue" ? `queue/${queueId ?? branch}` : `${group}/${pr}`;
}

/** How the service learned of a change of a label or of auto-merge. */
export interface ReceivedChange {
  /** The id of the delivery, which is the same when it is delivered or handled again. */
  readonly id: string;
  /** When the change was made, in milliseconds since the epoch, if polling found it; null = its webhook arrived. */
  readonly foundAt: number | null;
}

const foundPrefix = "found/";

/** Names a change. Its time is not enough: within one second, a label can be added, removed and added again. */
export function changeId({ id, foundAt }: ReceivedChange): string {
  return foundAt === null ? id : `${foundPrefix}${id}`;
}

/** Whether polling found the change with this name. */
function isFoundChange(id: string): boolean {
  return id.startsWith(foundPrefix);
}
