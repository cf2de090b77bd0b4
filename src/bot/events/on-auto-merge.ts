import type * as z from "zod";
import { mergeCommand } from "../../command/parse-command.ts";
import { autoMergeStaysText } from "../commands/answer-text.ts";
import { refusalOf, standingOf } from "../commands/authorize.ts";
import { type CommandContext, executeCommand } from "../commands/execute-command.ts";
import { findEntry } from "../commands/find-entry.ts";
import { isSettled } from "../commands/last-command.ts";
import { noteRefusal } from "../commands/note-refusal.ts";
import { takesAutoMerge } from "../commands/takes-auto-merge.ts";
import { type pullRequestPayload, repositoryOf } from "../deliveries/payload.ts";
import type { BotParts } from "../parts.ts";
import { labelledPriority } from "./labelled-priority.ts";

type Payload = z.infer<typeof pullRequestPayload>;

/**
 * Handles auto-merge as a command, if the queue's settings say so. Enabling it submits the head at that time. Disabling it
 * cancels an entry that auto-merge submitted. `foundAt` is the time of a change that polling found, in milliseconds since the
 * epoch.
 */
export async function handleAutoMerge(
  parts: BotParts,
  payload: Payload,
  foundAt: number | null,
): Promise<void> {
  const { action, sender, pull_request: pull } = payload;
  if (action !== "auto_merge_enabled" && action !== "auto_merge_disabled") return;
  const repo = repositoryOf(payload, parts.settings.host);
  const branch = pull.base.ref;
  if (!(await takesAutoMerge(parts.client, repo, branch))) return;
  const told = foundAt === null;
  const givenAt = foundAt ?? Date.parse(pull.updated_at);
  const context = {
    id: `${action}/${givenAt}`,
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
  if (action === "auto_merge_disabled") {
    if (!entry?.isCurrentlySubmittedToQueue || entry.submittedVia !== "auto_merge") return;
    // GitHub lets only people with write access disable it.
    const by = { login: sender.login, permission: "write" };
    return answer(
      parts,
      context,
      sender.login,
      await executeCommand(parts, { ...context, by }, { type: "cancel" }),
    );
  }
  const found = { ...context, currentHead: pull.head.sha };
  if (!told && (await isSettled(parts, found, mergeCommand, entry))) return;
  await submit(parts, context, payload);
}

async function submit(
  parts: BotParts,
  context: Omit<CommandContext, "by">,
  { sender, pull_request: pull }: Payload,
): Promise<void> {
  const { repo, pr, branch } = context;
  const commander = { login: sender.login, id: sender.id, isPerson: sender.type === "User" };
  const standing = await standingOf(parts, repo, branch, commander);
  const refusal = refusalOf("merge", commander, standing);
  if (refusal) {
    const asked = { repo, pr, branch, by: commander, via: "auto_merge" } as const;
    await noteRefusal(parts, asked, "merge", refusal.code);
  }
  const by = { login: sender.login, permission: standing.permission };
  const names = pull.labels.map(({ name }) => name);
  const priority = standing.file.ok ? labelledPriority(names, standing.file.file) : null;
  const merge = { ...mergeCommand, priority };
  await answer(
    parts,
    context,
    sender.login,
    refusal ?? (await executeCommand(parts, { ...context, by }, merge)),
  );
}

async function answer(
  { notices, log }: BotParts,
  { repo, pr }: Omit<CommandContext, "by">,
  login: string,
  said: Awaited<ReturnType<typeof executeCommand>>,
): Promise<void> {
  if (said.done) return notices.answer(repo, pr, login, said.text);
  log.info({ pr, code: said.code }, "refused auto-merge as a command");
  return notices.answer(repo, pr, login, `${said.text} ${autoMergeStaysText()}`);
}
