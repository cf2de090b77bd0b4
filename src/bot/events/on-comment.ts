import * as z from "zod";
import type { Command, ParsedCommand, Verb } from "../../command/parse-command.ts";
import { understand } from "../../command/understand.ts";
import type { Reaction } from "../../ports/code-host/pull-requests.ts";
import { OutdatedReading } from "../../service/observation/readings.ts";
import type { Bot } from "../bot.ts";
import { type Answer, refused } from "../commands/answer.ts";
import {
  addressed,
  editedText,
  misplacedText,
  notACommentText,
  otherQueueText,
} from "../commands/answer-text.ts";
import { authorizationOf, noteRefusal, refusalOf } from "../commands/authorize.ts";
import { executeCommand } from "../commands/execute-command.ts";
import {
  type issueCommentPayload,
  type lineCommentPayload,
  repositoryOf,
  type reviewPayload,
} from "../deliveries/payload.ts";
import { missedItsQueue, presentRepository } from "../deliveries/present-place.ts";
import { labelledPriority } from "./labels.ts";

/** A comment on a pull request, from a webhook or found by polling. */
export const foundCommentPayload = z.object({
  repo: z.object({ host: z.string(), owner: z.string(), name: z.string(), installationId: z.number() }),
  /** The code host's id of the repository; null when it was not read yet. */
  repositoryId: z.number().nullable().default(null),
  /** The comment's number, which increases with time. 0 = not known. */
  id: z.number().default(0),
  pr: z.number().nullable(),
  /** Null when there is nothing to react to. */
  nodeId: z.string().nullable(),
  body: z.string(),
  /** The text before an edit; null for a new comment. */
  before: z.string().nullable(),
  author: z.object({ login: z.string(), id: z.number(), isPerson: z.boolean() }),
  /** The App that posted it. */
  viaAppId: z.number().nullable(),
  /** The labels on the pull request; null when they are not known. */
  labels: z.array(z.string()).nullable(),
  /** Milliseconds since the epoch, by the code host's clock. */
  createdAt: z.number(),
  /** True when a webhook delivered it, false when polling found it. */
  told: z.boolean().default(false),
  /** The place of a text that is not a comment on the pull request; null = it is one. */
  place: z.enum(["review", "line", "description"]).nullable().default(null),
  /** The head that a review is about. */
  reviewed: z.string().nullable().default(null),
});

export type PostedComment = z.infer<typeof foundCommentPayload>;

export function toComment(payload: z.infer<typeof issueCommentPayload>, host: string): PostedComment {
  const { action, issue, comment, sender, changes } = payload;
  return {
    repo: repositoryOf(payload, host),
    repositoryId: payload.repository.id ?? null,
    id: comment.id,
    pr: issue.pull_request ? issue.number : null,
    nodeId: comment.node_id,
    body: comment.body,
    before: action === "edited" ? (changes?.body?.from ?? comment.body) : null,
    author: { login: sender.login, id: sender.id, isPerson: sender.type === "User" },
    viaAppId: comment.performed_via_github_app?.id ?? null,
    labels: issue.labels.map(({ name }) => name),
    createdAt: Date.parse(comment.created_at),
    told: true,
    place: null,
    reviewed: null,
  };
}

/** Returns the text of a review; null when it has none. */
export function toReview(payload: z.infer<typeof reviewPayload>, host: string): PostedComment | null {
  const { action, review, changes, pull_request: pull } = payload;
  if (!review?.body || (action !== "submitted" && action !== "edited")) return null;
  return {
    ...postedBy(payload, host),
    nodeId: review.node_id,
    body: review.body,
    before: action === "edited" ? (changes?.body?.from ?? review.body) : null,
    labels: pull.labels.map(({ name }) => name),
    createdAt: Date.parse(review.submitted_at ?? pull.updated_at),
    place: "review",
    reviewed: review.commit_id ?? null,
  };
}

/** Returns the description of a pull request that a person opened or edited. */
export function toDescription(payload: z.infer<typeof reviewPayload>, host: string): PostedComment | null {
  const { action, changes, sender, pull_request: pull } = payload;
  const isNew = action === "opened" || (action === "edited" && changes?.body);
  if (!isNew || !pull.body || sender.type !== "User") return null;
  return {
    ...postedBy(payload, host),
    nodeId: null,
    body: pull.body,
    before: action === "edited" ? (changes?.body?.from ?? "") : null,
    labels: null,
    createdAt: Date.parse(pull.updated_at),
    place: "description",
    reviewed: null,
  };
}

export function toLineComment(payload: z.infer<typeof lineCommentPayload>, host: string): PostedComment {
  const { action, comment, changes } = payload;
  return {
    ...postedBy(payload, host),
    nodeId: comment.node_id,
    body: comment.body,
    before: action === "edited" ? (changes?.body?.from ?? comment.body) : null,
    labels: null,
    createdAt: Date.parse(comment.created_at),
    place: "line",
    reviewed: null,
  };
}

function postedBy(payload: z.infer<typeof lineCommentPayload> | z.infer<typeof reviewPayload>, host: string) {
  const { sender } = payload;
  return {
    repo: repositoryOf(payload, host),
    repositoryId: payload.repository.id ?? null,
    id: 0,
    pr: payload.pull_request.number,
    author: { login: sender.login, id: sender.id, isPerson: sender.type === "User" },
    viaAppId: null,
    told: true,
  } as const;
}

/** Carries out the commands of a comment. Answers all of them at once. */
export async function handleComment(bot: Bot, comment: PostedComment): Promise<void> {
  const { pr, author } = comment;
  const { commandPrefix, appId } = bot.settings;
  // Our own comments mention commands.
  if (pr === null || (comment.viaAppId === appId && !author.isPerson)) return;
  const posted = { ...comment, pr };
  const understood = understand(comment, commandPrefix);
  switch (understood.type) {
    case "prose":
      return;
    case "not_plain_text":
      return reply(bot, posted, [refused("NOT_PLAIN_TEXT", misplacedText(commandPrefix))]);
    case "not_a_comment":
      return reply(bot, posted, [refused("NOT_A_COMMENT", notACommentText(understood.place))]);
    case "edited":
      return reply(bot, posted, [refused("COMMENT_EDITED", editedText())]);
    case "other_queue": {
      const { command } = understood;
      if (!(await isQueuedHere(bot, posted, command.verb))) return;
      return reply(bot, posted, [refused("NOT_UNDERSTOOD", otherQueueText(command, commandPrefix))]);
    }
    case "commands":
      return carryOut(bot, posted, understood.commands);
  }
}

async function carryOut(
  bot: Bot,
  comment: PostedComment & { pr: number },
  commands: readonly ParsedCommand[],
): Promise<void> {
  const answers = await answersTo(bot, comment, commands);
  const repo = await presentRepository(bot, comment.repo, comment.repositoryId);
  return missedItsQueue(answers, comment.repo, repo)
    ? handleComment(bot, { ...comment, repo })
    : reply(bot, { ...comment, repo }, answers);
}

/** Whether the author of another bot's command could have used ours, and the repository wants such commands to be answered. */
async function isQueuedHere(
  bot: Bot,
  { repo, pr, author }: PostedComment & { pr: number },
  verb: Verb,
): Promise<boolean> {
  const branch = author.isPerson ? await bot.baseBranchOf(repo, pr) : null;
  if (branch === null || !(await bot.queuesOf(repo)).some((queue) => queue.branch === branch)) return false;
  const authorization = await authorizationOf(bot, repo, branch, author);
  const isWanted = authorization.file.ok && authorization.file.file.answerOtherBots;
  return isWanted && refusalOf(verb, author, authorization) === null;
}

async function reply(
  bot: Bot,
  comment: PostedComment & { pr: number },
  answers: readonly Answer[],
): Promise<void> {
  const { pr, author } = comment;
  for (const answer of answers) {
    if (!answer.done) bot.log.info({ pr, login: author.login, code: answer.code }, "refused a command");
  }
  await react(bot, comment, answers.every((answer) => answer.done) ? "thumbs_up" : "confused");
  const texts = new Set(answers.flatMap(({ text }) => text ?? []));
  const answer = texts.size === 0 ? null : addressed(author, [...texts].join("\n\n"));
  // The reaction may have taken long. Answers are stored under the repository's current name, which may have changed.
  const repo = await presentRepository(bot, comment.repo, comment.repositoryId);
  const isAboutTry = answers.length > 0 && answers.every((one) => one.done && one.about === "try");
  const endsWithEntry = answers.every((one) => one.done && one.about !== "commands");
  await bot.notices.answer(repo, pr, isAboutTry ? "try" : author.login, answer, endsWithEntry);
}

async function answersTo(
  bot: Bot,
  comment: PostedComment & { pr: number },
  commands: readonly ParsedCommand[],
): Promise<Answer[]> {
  const { repo, pr, author, createdAt, told, reviewed } = comment;
  const branch = await bot.baseBranchOf(repo, pr);
  // The pull request exists, because it has a comment.
  if (branch === null) throw new OutdatedReading(`GitHub does not show #${pr}`);
  const authorization = await authorizationOf(bot, repo, branch, author);
  const by = { login: author.login, permission: authorization.permission };
  const answers: Answer[] = [];
  for (const [index, parsed] of commands.entries()) {
    if (!parsed.ok) {
      answers.push(refused("NOT_UNDERSTOOD", parsed.problem));
      continue;
    }
    const refusal = refusalOf(parsed.command.type, author, authorization);
    if (refusal) {
      await noteRefusal(
        bot,
        { repo, pr, branch, by: author, via: "comment" },
        parsed.command.type,
        refusal.code,
      );
      answers.push(refusal);
      continue;
    }
    const id = `${comment.nodeId}/${index}`;
    const given = { id, comment: comment.id, repo, pr, by, givenAt: createdAt, told } as const;
    const context = { ...given, branch, via: "comment", head: null, reviewed } as const;
    const priority = authorization.file.ok
      ? labelledPriority(comment.labels ?? [], authorization.file.file)
      : null;
    answers.push(await executeCommand(bot, context, withPriority(parsed.command, priority)));
  }
  return answers;
}

/** A label sets the priority if the command does not. */
function withPriority(command: Command, priority: ReturnType<typeof labelledPriority>): Command {
  return command.type === "merge" && command.priority === null ? { ...command, priority } : command;
}

/** A failed reaction must not repeat the commands. The outbox retries only the reaction. */
async function react(
  { codeHost, notices, log }: Bot,
  { repo, repositoryId, nodeId }: PostedComment,
  reaction: Reaction,
): Promise<void> {
  if (nodeId === null) return;
  try {
    await codeHost.react(repo, nodeId, reaction);
  } catch (error) {
    log.warn({ err: error, comment: nodeId }, "could not react to a comment; trying again");
    await notices.react(repo, repositoryId, nodeId, reaction);
  }
}
