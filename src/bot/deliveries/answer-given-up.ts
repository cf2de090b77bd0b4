import * as z from "zod";
import { parseCommands } from "../../command/parse-command.ts";
import { isSameName } from "../../engine/model/names.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { foundComment, foundLabel } from "../../service/tasks/pending-input.ts";
import type { GivenUpCode, InboxRow } from "../../store/leased/inbox.ts";
import type { Bot } from "../bot.ts";
import { refused } from "../commands/answer.ts";
import { givenUpText } from "../commands/answer-text.ts";
import { foundCommentPayload } from "../events/on-comment.ts";

/** The fields that identify a lost command. Other fields are not read, because they may be the unreadable part. */
const repository = z.object({
  id: z.number().optional(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
});
const anywhere = { repository, installation: z.object({ id: z.number() }) };
const leastSender = z.object({ login: z.string() });
const leastComment = z.object({
  ...anywhere,
  action: z.literal("created"),
  issue: z.object({ number: z.number(), pull_request: z.object({}) }),
  comment: z.object({ body: z.string(), node_id: z.string().optional() }),
  sender: leastSender,
});
const leastReview = z.object({
  ...anywhere,
  action: z.literal("submitted"),
  pull_request: z.object({ number: z.number() }),
  review: z.object({ body: z.string(), node_id: z.string() }),
  sender: leastSender,
});
const leastLabel = z.object({
  ...anywhere,
  action: z.enum(["labeled", "unlabeled"]),
  pull_request: z.object({ number: z.number() }),
  label: z.object({ name: z.string() }),
  sender: leastSender,
});

interface LostCommand {
  readonly repo: InstalledRepository;
  readonly repositoryId: number | null;
  readonly pr: number;
  readonly login: string;
  /** Of the comment that gave the command; null = a label gave it, or the comment is not known. */
  readonly comment: string | null;
}

/** Reports on the pull request that a command was given up. The outbox posts the comment when GitHub answers again. */
export async function answerGivenUp(bot: Bot, row: InboxRow, code: GivenUpCode): Promise<void> {
  const lost = lostCommand(bot, row);
  if (!lost) return;
  const { text } = refused(code, givenUpText(code, row.id));
  // Bots are not mentioned, because they might answer.
  const at = lost.login.endsWith("[bot]") ? "" : "@";
  if (lost.comment !== null) await bot.notices.react(lost.repo, lost.repositoryId, lost.comment, "confused");
  await bot.notices.answer(lost.repo, lost.pr, lost.login, `${at}${lost.login}: ${text}`);
}

/** Returns the command that a delivery gave; null when it gave none or cannot be read. */
function lostCommand({ settings }: Bot, { event, payload: text }: InboxRow): LostCommand | null {
  const isCommand = (body: string) => parseCommands(body, settings.commandPrefix).length > 0;
  const payload: unknown = parsed(text);
  if (event === foundComment) {
    const { data } = foundCommentPayload.safeParse(payload);
    if (!data || data.pr === null || !isCommand(data.body)) return null;
    const { repo, repositoryId, pr, author, nodeId: comment } = data;
    return { repo, repositoryId, pr, login: author.login, comment };
  }
  const comment = event === "issue_comment" ? leastComment.safeParse(payload).data : undefined;
  if (comment) {
    const { body, node_id = null } = comment.comment;
    return isCommand(body)
      ? { ...giverOf(comment, comment.issue.number, settings.host), comment: node_id }
      : null;
  }
  const review = event === "pull_request_review" ? leastReview.safeParse(payload).data : undefined;
  if (review) {
    const { body, node_id: comment } = review.review;
    return isCommand(body)
      ? { ...giverOf(review, review.pull_request.number, settings.host), comment }
      : null;
  }
  // The repository may use another submit label. Polling finds its changes.
  const label =
    event === "pull_request" || event === foundLabel ? leastLabel.safeParse(payload).data : undefined;
  if (!label || (event !== foundLabel && !isSameName(label.label.name, settings.submitLabel))) return null;
  return { ...giverOf(label, label.pull_request.number, settings.host), comment: null };
}

/** Who gave a command, and where. */
function giverOf(
  {
    repository: { id, name, owner },
    installation,
    sender,
  }: z.infer<z.ZodObject<typeof anywhere & { sender: typeof leastSender }>>,
  pr: number,
  host: string,
): Omit<LostCommand, "comment"> {
  const repo = { host, owner: owner.login, name, installationId: installation.id };
  return { repo, repositoryId: id ?? null, pr, login: sender.login };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
