import type * as z from "zod";
import { mergeCommand } from "../../command/parse-command.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { noticeAbout } from "../../service/status/notices.ts";
import type { Answer } from "../commands/answer.ts";
import { autoMergeStaysText } from "../commands/answer-text.ts";
import { refusalOf, standingOf } from "../commands/authorize.ts";
import { type CommandContext, executeCommand } from "../commands/execute-command.ts";
import { findEntry } from "../commands/find-entry.ts";
import { isSettled } from "../commands/last-command.ts";
import { noteRefusal } from "../commands/note-refusal.ts";
import { changeId, type ReceivedChange } from "../commands/received-change.ts";
import { takesAutoMerge } from "../commands/takes-auto-merge.ts";
import { type pullRequestPayload, repositoryOf } from "../deliveries/payload.ts";
import { missedItsQueue, presentRepository } from "../deliveries/present-place.ts";
import type { BotParts } from "../parts.ts";
import { labelledPriority } from "./labelled-priority.ts";
import { presentBase, wasAutoMergeDisabledSince } from "./late-changes.ts";

type Payload = z.infer<typeof pullRequestPayload>;

/**
 * Handles auto-merge as a command, if the queue's settings say so. Enabling it submits the head at that time. Disabling it
 * cancels an entry that auto-merge submitted.
 */
export async function handleAutoMerge(
  parts: BotParts,
  payload: Payload,
  received: ReceivedChange,
): Promise<void> {
  const { foundAt } = received;
  const { action, sender, pull_request: pull } = payload;
  if (action !== "auto_merge_enabled" && action !== "auto_merge_disabled") return;
  const repo = repositoryOf(payload, parts.settings.host);
  const told = foundAt === null;
  const givenAt = foundAt ?? Date.parse(pull.updated_at);
  const branch = await queueBranch(parts, repo, payload, givenAt);
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
  const entry = await findEntry(parts.client, repo, branch, pull.number);
  if (action === "auto_merge_disabled" && !isQueuedByAutoMerge(entry)) return;
  if (action === "auto_merge_enabled") {
    const found = { ...context, currentHead: pull.head.sha };
    if (!told && (await isSettled(parts, found, mergeCommand, entry))) return;
    if (await wasAutoMergeDisabledSince(parts, repo, pull.number, givenAt)) return;
  }
  const answer = await (action === "auto_merge_enabled" ? submit : cancel)(parts, context, payload);
  const present = await presentRepository(parts, repo, payload.repository.id ?? null);
  if (missedItsQueue([answer], repo, present)) return;
  if (answer.done) return parts.notices.answer(present, pull.number, sender.login, answer.text, true);
  parts.log.info({ pr: pull.number, code: answer.code }, "refused auto-merge as a command");
  const text = `${answer.text} ${autoMergeStaysText()}`;
  await parts.notices.answer(present, pull.number, noticeAbout("auto-merge", sender.login), text);
}

/** Returns the branch whose queue takes the change as a command; null when none does. */
async function queueBranch(
  parts: BotParts,
  repo: InstalledRepository,
  { action, pull_request: { number, base } }: Payload,
  givenAt: number,
): Promise<string | null> {
  if (!(await takesAutoMerge(parts.client, repo, base.ref))) return null;
  if (action === "auto_merge_disabled") return base.ref;
  const present = await presentBase(parts, repo, number, base.ref, givenAt);
  // If the branch was just renamed, its queue may still have the former name.
  return (await takesAutoMerge(parts.client, repo, present)) ? present : base.ref;
}

function isQueuedByAutoMerge(entry: Awaited<ReturnType<typeof findEntry>>): boolean {
  return (entry?.isCurrentlySubmittedToQueue ?? false) && entry?.submittedVia === "auto_merge";
}

/** GitHub lets only people with write access disable it. */
function cancel(parts: BotParts, context: Omit<CommandContext, "by">, { sender }: Payload): Promise<Answer> {
  const by = { login: sender.login, permission: "write" };
  return executeCommand(parts, { ...context, by }, { type: "cancel" });
}

async function submit(
  parts: BotParts,
  context: Omit<CommandContext, "by">,
  { sender, pull_request: pull }: Payload,
): Promise<Answer> {
  const { repo, pr, branch } = context;
  const commander = { login: sender.login, id: sender.id, isPerson: sender.type === "User" };
  const standing = await standingOf(parts, repo, branch, commander);
  const refusal = refusalOf("merge", commander, standing);
  if (refusal) {
    const asked = { repo, pr, branch, by: commander, via: "auto_merge" } as const;
    await noteRefusal(parts, asked, "merge", refusal.code);
    return refusal;
  }
  const by = { login: sender.login, permission: standing.permission };
  const names = pull.labels.map(({ name }) => name);
  const priority = standing.file.ok ? labelledPriority(names, standing.file.file) : null;
  return executeCommand(parts, { ...context, by }, { ...mergeCommand, priority });
}
