import type * as z from "zod";
import { mergeCommand } from "../../command/parse-command.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { noticeAbout } from "../../service/status/notices.ts";
import type { Bot } from "../bot.ts";
import type { Answer } from "../commands/answer.ts";
import { autoMergeStaysText } from "../commands/answer-text.ts";
import { authorizationOf, noteRefusal, refusalOf } from "../commands/authorize.ts";
import { type CommandContext, executeCommand } from "../commands/execute-command.ts";
import { changeId, isSettled, type ReceivedChange } from "../commands/last-command.ts";
import { findEntry, takesAutoMerge } from "../commands/queues.ts";
import { type pullRequestPayload, repositoryOf } from "../deliveries/payload.ts";
import {
  missedItsQueue,
  presentBase,
  presentRepository,
  wasAutoMergeDisabledSince,
} from "../deliveries/present-place.ts";
import { labelledPriority } from "./labels.ts";

type Payload = z.infer<typeof pullRequestPayload>;

/**
 * Handles auto-merge as a command, if the queue's settings say so. Enabling it submits the head at that time. Disabling it
 * cancels an entry that auto-merge submitted.
 */
export async function handleAutoMerge(bot: Bot, payload: Payload, received: ReceivedChange): Promise<void> {
  const { foundAt } = received;
  const { action, sender, pull_request: pull } = payload;
  if (action !== "auto_merge_enabled" && action !== "auto_merge_disabled") return;
  const repo = repositoryOf(payload, bot.settings.host);
  const told = foundAt === null;
  const givenAt = foundAt ?? Date.parse(pull.updated_at);
  const branch = await queueBranch(bot, repo, payload, givenAt);
  if (branch === null) return;
  const context = {
    id: changeId(received),
    comment: 0,
    repo,
    pr: pull.number,
    branch,
    via: "auto_merge",
    givenAt,
    told,
    // Polling knows only the current head, not the one for which auto-merge was enabled.
    head: told ? pull.head.sha : null,
  } as const;
  const entry = await findEntry(bot.client, repo, branch, pull.number);
  if (action === "auto_merge_disabled" && !isQueuedByAutoMerge(entry)) return;
  if (action === "auto_merge_enabled") {
    const found = { ...context, currentHead: pull.head.sha };
    if (!told && (await isSettled(bot, found, mergeCommand, entry))) return;
    if (await wasAutoMergeDisabledSince(bot, repo, pull.number, givenAt)) return;
  }
  const answer = await (action === "auto_merge_enabled" ? submit : cancel)(bot, context, payload);
  const present = await presentRepository(bot, repo, payload.repository.id ?? null);
  if (missedItsQueue([answer], repo, present)) return;
  if (answer.done) return bot.notices.answer(present, pull.number, sender.login, answer.text, true);
  bot.log.info({ pr: pull.number, code: answer.code }, "refused auto-merge as a command");
  const text = `${answer.text} ${autoMergeStaysText()}`;
  await bot.notices.answer(present, pull.number, noticeAbout("auto-merge", sender.login), text);
}

/** Returns the branch whose queue treats the change as a command; null when none does. */
async function queueBranch(
  bot: Bot,
  repo: InstalledRepository,
  { action, pull_request: { number, base } }: Payload,
  givenAt: number,
): Promise<string | null> {
  if (!(await takesAutoMerge(bot.client, repo, base.ref))) return null;
  if (action === "auto_merge_disabled") return base.ref;
  const present = await presentBase(bot, repo, number, base.ref, givenAt);
  // If the branch was just renamed, its queue may still have the former name.
  return (await takesAutoMerge(bot.client, repo, present)) ? present : base.ref;
}

function isQueuedByAutoMerge(entry: Awaited<ReturnType<typeof findEntry>>): boolean {
  return (entry?.isCurrentlySubmittedToQueue ?? false) && entry?.submittedVia === "auto_merge";
}

/** Needs no further check, because GitHub lets only people with write access disable it. */
function cancel(bot: Bot, context: Omit<CommandContext, "by">, { sender }: Payload): Promise<Answer> {
  const by = { login: sender.login, permission: "write" };
  return executeCommand(bot, { ...context, by }, { type: "cancel" });
}

async function submit(
  bot: Bot,
  context: Omit<CommandContext, "by">,
  { sender, pull_request: pull }: Payload,
): Promise<Answer> {
  const { repo, pr, branch } = context;
  const commander = { login: sender.login, id: sender.id, isPerson: sender.type === "User" };
  const authorization = await authorizationOf(bot, repo, branch, commander);
  const refusal = refusalOf("merge", commander, authorization);
  if (refusal) {
    const asked = { repo, pr, branch, by: commander, via: "auto_merge" } as const;
    await noteRefusal(bot, asked, "merge", refusal.code);
    return refusal;
  }
  const by = { login: sender.login, permission: authorization.permission };
  const names = pull.labels.map(({ name }) => name);
  const priority = authorization.file.ok ? labelledPriority(names, authorization.file.file) : null;
  return executeCommand(bot, { ...context, by }, { ...mergeCommand, priority });
}
