import * as z from "zod";
import { type ParsedCommand, parseCommands } from "../command/parse-command.ts";
import type { InstalledRepository, Reaction, RepositoryPermission } from "../ports/code-host.ts";
import { type Answer, refused } from "./answer.ts";
import { refusalOf } from "./authorize.ts";
import { carryOut } from "./carry-out.ts";
import type { BotParts } from "./parts.ts";
import { type issueCommentPayload, repositoryOf } from "./payload.ts";

/** A comment on a pull request, from a webhook or found by polling. */
export const foundCommentPayload = z.object({
  repo: z.object({ host: z.string(), owner: z.string(), name: z.string(), installationId: z.number() }),
  pr: z.number().nullable(),
  nodeId: z.string(),
  body: z.string(),
  login: z.string(),
  byPerson: z.boolean(),
  /** Milliseconds since the epoch, by the code host's clock. */
  createdAt: z.number(),
});

export type PostedComment = z.infer<typeof foundCommentPayload>;

export function toComment(payload: z.infer<typeof issueCommentPayload>, host: string): PostedComment {
  const { issue, comment, sender } = payload;
  return {
    repo: repositoryOf(payload, host),
    pr: issue.pull_request ? issue.number : null,
    nodeId: comment.node_id,
    body: comment.body,
    login: sender.login,
    byPerson: sender.type === "User",
    createdAt: Date.parse(comment.created_at),
  };
}

/** Carries out the commands of a comment, and answers all of them at once. */
export async function handleComment(parts: BotParts, comment: PostedComment): Promise<void> {
  const { repo, pr, login } = comment;
  if (pr === null || !comment.byPerson) return;
  const commands = parseCommands(comment.body, parts.settings.commandPrefix);
  if (commands.length === 0) return;
  const permission = await parts.permissionOf(repo, login);
  const answers: Answer[] = [];
  for (const parsed of commands) answers.push(await answerTo(parts, { ...comment, pr }, parsed, permission));
  await react(parts, comment, answers.every((answer) => answer.done) ? "thumbs_up" : "confused");
  const texts = new Set(answers.flatMap(({ text }) => text ?? []));
  await parts.notices.answer(repo, pr, texts.size === 0 ? null : `@${login}: ${[...texts].join("\n\n")}`);
}

/** Whether the reaction can be seen decides nothing, so that the commands are not given again for it. */
async function react(
  { react, log }: BotParts,
  { repo, nodeId }: PostedComment,
  reaction: Reaction,
): Promise<void> {
  try {
    await react(repo, nodeId, reaction);
  } catch (error) {
    log.warn({ err: error, comment: nodeId }, "could not react to a comment");
  }
}

async function answerTo(
  parts: BotParts,
  { repo, pr, login, createdAt }: PostedComment & { pr: number },
  parsed: ParsedCommand,
  permission: RepositoryPermission,
): Promise<Answer> {
  if (!parsed.ok) return refused(parsed.problem);
  const refusal = refusalOf(parsed.command.type, login, permission);
  if (refusal !== null) return refused(refusal);
  const seen = await headSeen(parts, repo, pr, createdAt);
  const context = { repo, pr, by: { login, permission }, via: "comment", head: null, seen } as const;
  return carryOut(parts, context, parsed.command);
}

/** The head that was there when the comment was written, as far as we have seen; `after`: it was pushed since. */
async function headSeen(
  { heads }: BotParts,
  repo: InstalledRepository,
  pr: number,
  createdAt: number,
): Promise<{ sha: string; pushed: "before" | "after" } | null> {
  const seen = await heads.last(repo, pr);
  if (!seen) return null;
  // GitHub tells when a comment was written in whole seconds.
  const pushedAt = Math.floor(seen.at / 1000) * 1000;
  return { sha: seen.sha, pushed: pushedAt > createdAt ? "after" : "before" };
}
