import type * as z from "zod";
import { type Command, mergeCommand } from "../../command/parse-command.ts";
import { noRepositoryFile, type RepositoryFile } from "../../command/repository-file.ts";
import { defaultPriority } from "../../engine/model/priority.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { type Commander, refusalOf, standingOf } from "../commands/authorize.ts";
import { executeCommand } from "../commands/execute-command.ts";
import { findEntry } from "../commands/find-entry.ts";
import { isSettled } from "../commands/last-command.ts";
import { noteRefusal } from "../commands/note-refusal.ts";
import { readQueue } from "../commands/read-queue.ts";
import { isListedBot } from "../commands/submitting-bots.ts";
import { placedAt, type pullRequestPayload, repositoryOf } from "../deliveries/payload.ts";
import { missedItsQueue, presentRepository } from "../deliveries/present-place.ts";
import type { BotParts } from "../parts.ts";
import { answerLabel } from "./answer-label.ts";
import { type LabelSettings, readLabelSettings } from "./label-settings.ts";
import { labelledPriority } from "./labelled-priority.ts";
import { wasLabelRemovedSince } from "./late-changes.ts";
import { submitLabelOf } from "./submit-label.ts";

type Payload = z.infer<typeof pullRequestPayload>;

/**
 * Handles labels that are commands. Adding the submit label submits the head that its webhook names; removing it cancels. A
 * priority label changes the priority of a queued pull request, and sets that of a later submission. `foundAt` is the time of
 * a change that polling found.
 */
export async function handleLabel(parts: BotParts, payload: Payload, foundAt: number | null): Promise<void> {
  const { action, label, sender, pull_request: pull } = payload;
  if (!label || (action !== "labeled" && action !== "unlabeled")) return;
  const repo = repositoryOf(payload, parts.settings.host);
  const base = pull.stack?.base.ref ?? pull.base.ref;
  const branch = await queueBranch(parts, repo, payload, base);
  const parsed = await parts.files.read(repo, branch);
  const file = parsed.ok ? parsed.file : noRepositoryFile;
  const commander = { login: sender.login, id: sender.id, isPerson: sender.type === "User" };
  // Polling finds a change only once, so it must not be judged by settings that may be seconds old.
  const queue =
    foundAt === null
      ? await readLabelSettings(parts, repo, branch)
      : await readQueue(parts.client, repo, branch);
  if (queue?.labelCommandsEnabled === false) return;
  const submitLabel = submitLabelOf(queue, file, parts.settings.submitLabel);
  const command = await commandOf(parts, repo, payload, submitLabel, file);
  if (!command || (await isOurs(parts, payload, commander, submitLabel, file, queue))) return;
  if (foundAt !== null) {
    const currentHead = pull.head.sha;
    const found = { repo, pr: pull.number, branch, via: "label", givenAt: foundAt, currentHead } as const;
    const entry = await findEntry(parts.client, repo, branch, pull.number);
    if (await isSettled(parts, found, command, entry)) return;
  }
  const givenAt = foundAt ?? Date.parse(pull.updated_at);
  const submits = label.name === submitLabel && action === "labeled";
  if (submits && (await wasLabelRemovedSince(parts, repo, payload, givenAt))) return;
  const standing = await standingOf(parts, repo, branch, commander);
  const refusal = refusalOf(command.type, commander, standing);
  if (refusal) {
    const asked = { repo, pr: pull.number, branch, by: commander, via: "label" } as const;
    await noteRefusal(parts, asked, command.type, refusal.code);
  }
  const by = { login: sender.login, permission: standing.permission };
  const told = foundAt === null;
  const context = {
    id: `${action}/${label.name}/${givenAt}`,
    comment: 0,
    repo,
    pr: pull.number,
    givenAt,
    told,
    branch,
    by,
    via: "label",
    // Polling knows only the current head, not the one that the label was put on.
    head: told ? pull.head.sha : null,
  } as const;
  const answer = refusal ?? (await executeCommand(parts, context, command));
  const present = await presentRepository(parts, repo, payload.repository.id ?? null);
  if (missedItsQueue([answer], repo, present)) return handleLabel(parts, placedAt(payload, present), foundAt);
  await answerLabel(parts, present, { pr: pull.number, login: by.login, action, label: label.name }, answer);
}

/**
 * Returns the branch whose queue a changed label is about. A pull request whose base branch was changed may still wait in the queue that
 * the removed label had put it into.
 */
async function queueBranch(
  parts: BotParts,
  repo: InstalledRepository,
  { action, label, pull_request: pull }: Payload,
  base: string,
): Promise<string> {
  const isUsualLabel = label?.name === parts.settings.submitLabel;
  if (action !== "unlabeled" || !isUsualLabel || (await readLabelSettings(parts, repo, base))) return base;
  return (await parts.baseBranchOf(repo, pull.number)) ?? base;
}

/** Returns the command of a label in the current state; null when it is not a command. */
async function commandOf(
  { client }: BotParts,
  repo: InstalledRepository,
  { action, pull_request: pull, label }: Payload,
  submitLabel: string | null,
  file: RepositoryFile,
): Promise<Command | null> {
  const priority = labelledPriority(
    pull.labels.map(({ name }) => name),
    file,
  );
  const name = label?.name ?? "";
  if (name === submitLabel) return action === "labeled" ? { ...mergeCommand, priority } : { type: "cancel" };
  if (!Object.hasOwn(file.labels.priorities, name)) return null;
  const entry = await findEntry(client, repo, pull.base.ref, pull.number);
  if (!entry?.isCurrentlySubmittedToQueue) return null;
  return { ...mergeCommand, priority: priority ?? defaultPriority };
}

/**
 * Whether the service itself removed the label, as it does with refused labels and when a pull request leaves the queue. It
 * never removes the submit label of a queued pull request. Payloads do not name the App that changed a label, so other
 * removals by unlisted bots count as ours.
 */
async function isOurs(
  { client, settings }: BotParts,
  { action, pull_request: pull, repository, label }: Payload,
  commander: Commander,
  submitLabel: string | null,
  file: RepositoryFile,
  queue: LabelSettings | null,
): Promise<boolean> {
  if (commander.isPerson || isListedBot(commander, file, queue) || action === "labeled") return false;
  const repo = { host: settings.host, owner: repository.owner.login, name: repository.name };
  const entry = await findEntry(client, repo, pull.base.ref, pull.number);
  return label?.name !== submitLabel || !entry?.isCurrentlySubmittedToQueue || entry.submittedVia !== "label";
}
