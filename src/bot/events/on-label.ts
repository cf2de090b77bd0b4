import type * as z from "zod";
import { type Command, mergeCommand } from "../../command/parse-command.ts";
import { type RepositoryFile, writtenPriority } from "../../command/repository-file.ts";
import { defaultPriority } from "../../engine/model/entry.ts";
import { isSameName } from "../../engine/model/names.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Answer } from "../commands/answer.ts";
import { type Commander, refusalOf, standingOf } from "../commands/authorize.ts";
import { executeCommand } from "../commands/execute-command.ts";
import { findEntry } from "../commands/find-entry.ts";
import { isSettled } from "../commands/last-command.ts";
import { noteRefusal } from "../commands/note-refusal.ts";
import { readQueue } from "../commands/read-queue.ts";
import { changeId, type ReceivedChange } from "../commands/received-change.ts";
import { isListedBot } from "../commands/submitting-bots.ts";
import { type pullRequestPayload, repositoryOf } from "../deliveries/payload.ts";
import { missedItsQueue, presentRepository } from "../deliveries/present-place.ts";
import type { BotParts } from "../parts.ts";
import { answerLabel } from "./answer-label.ts";
import { type LabelSettings, readLabelSettings } from "./label-settings.ts";
import { labelledPriority } from "./labelled-priority.ts";
import { presentBase, wasLabelRemovedSince } from "./late-changes.ts";
import { submitLabelOf } from "./submit-label.ts";

type Payload = z.infer<typeof pullRequestPayload>;

/** The branch that a label is about, and what is configured for it. */
interface LabelledBranch {
  readonly repo: InstalledRepository;
  readonly branch: string;
  readonly file: RepositoryFile;
  /** Null: the branch has no queue. */
  readonly queue: LabelSettings | null;
  readonly submitLabel: string | null;
}

/**
 * Handles labels that are commands. Adding the submit label submits the head that its webhook names; removing it cancels. A
 * priority label changes the priority of a queued pull request, and sets that of a later submission.
 */
export async function handleLabel(
  parts: BotParts,
  payload: Payload,
  received: ReceivedChange,
): Promise<void> {
  const { action, label, sender, pull_request: pull } = payload;
  if (!label || (action !== "labeled" && action !== "unlabeled")) return;
  const { foundAt } = received;
  const repo = repositoryOf(payload, parts.settings.host);
  const labelled = await labelledBranch(parts, repo, payload, foundAt);
  if (labelled.queue?.labelCommandsEnabled === false) return;
  const commander = { login: sender.login, id: sender.id, isPerson: sender.type === "User" };
  const command = await commandOf(parts, labelled, payload);
  if (!command || (await isOurs(parts, labelled, payload, commander))) return;
  if (await isOutdated(parts, labelled, payload, command, foundAt)) return;
  const answer = await execute(parts, labelled, payload, command, commander, received);
  const present = await presentRepository(parts, repo, payload.repository.id ?? null);
  if (missedItsQueue([answer], repo, present)) return;
  const change = { pr: pull.number, login: sender.login, action, label: label.name } as const;
  await answerLabel(parts, present, change, answer);
}

async function labelledBranch(
  parts: BotParts,
  repo: InstalledRepository,
  payload: Payload,
  foundAt: number | null,
): Promise<LabelledBranch> {
  const branch = await queueBranch(parts, repo, payload, givenAt(payload, foundAt));
  const parsed = await parts.files.read(repo, branch);
  const file = parsed.ok ? parsed.file : parts.files.lastValid(repo, branch);
  // Polling finds a change only once, so it must not be judged by settings that may be seconds old.
  const queue =
    foundAt === null
      ? await readLabelSettings(parts, repo, branch)
      : await readQueue(parts.client, repo, branch);
  return { repo, branch, file, queue, submitLabel: submitLabelOf(queue, file, parts.settings.submitLabel) };
}

/** Whether the change has been handled already, or the label has been removed since. */
async function isOutdated(
  parts: BotParts,
  { repo, branch, submitLabel }: LabelledBranch,
  payload: Payload,
  command: Command,
  foundAt: number | null,
): Promise<boolean> {
  const { action, label, pull_request: pull } = payload;
  if (foundAt !== null) {
    const currentHead = pull.head.sha;
    const found = { repo, pr: pull.number, branch, via: "label", givenAt: foundAt, currentHead } as const;
    const entry = await findEntry(parts.client, repo, branch, pull.number);
    if (await isSettled(parts, found, command, entry)) return true;
  }
  const submits = isSameName(label?.name, submitLabel) && action === "labeled";
  return submits && wasLabelRemovedSince(parts, repo, payload, givenAt(payload, foundAt));
}

async function execute(
  parts: BotParts,
  { repo, branch }: LabelledBranch,
  payload: Payload,
  command: Command,
  commander: Commander,
  received: ReceivedChange,
): Promise<Answer> {
  const { pull_request: pull } = payload;
  const { foundAt } = received;
  const pr = pull.number;
  const standing = await standingOf(parts, repo, branch, commander);
  const refusal = refusalOf(command.type, commander, standing);
  if (refusal) {
    await noteRefusal(parts, { repo, pr, branch, by: commander, via: "label" }, command.type, refusal.code);
    return refusal;
  }
  const at = givenAt(payload, foundAt);
  const told = foundAt === null;
  // Polling knows only the current head, not the one that the label was put on.
  const head = told ? pull.head.sha : null;
  const by = { login: commander.login, permission: standing.permission };
  const given = {
    id: changeId(received),
    comment: 0,
    givenAt: at,
    told,
    by,
    via: "label",
  } as const;
  return executeCommand(parts, { ...given, repo, pr, branch, head }, command);
}

function givenAt({ pull_request: pull }: Payload, foundAt: number | null): number {
  return foundAt ?? Date.parse(pull.updated_at);
}

/**
 * Returns the branch whose queue a changed label is about. A pull request whose base branch was changed may still wait in the queue that
 * the removed label had put it into.
 */
async function queueBranch(
  parts: BotParts,
  repo: InstalledRepository,
  { action, label, pull_request: pull }: Payload,
  at: number,
): Promise<string> {
  const base = pull.stack?.base.ref ?? pull.base.ref;
  const hasQueue = (await readLabelSettings(parts, repo, base)) !== null;
  if (action === "labeled") {
    const present = hasQueue ? await presentBase(parts, repo, pull.number, base, at) : base;
    // If the branch was just renamed, its queue may still have the former name.
    return (await readLabelSettings(parts, repo, present)) ? present : base;
  }
  const isUsualLabel = isSameName(label?.name, parts.settings.submitLabel);
  return hasQueue || !isUsualLabel ? base : ((await parts.baseBranchOf(repo, pull.number)) ?? base);
}

/** Returns the command of a label in the current state; null when it is not a command. */
async function commandOf(
  { client }: BotParts,
  { repo, branch, file, submitLabel }: LabelledBranch,
  { action, pull_request: pull, label }: Payload,
): Promise<Command | null> {
  const priority = labelledPriority(
    pull.labels.map(({ name }) => name),
    file,
  );
  const name = label?.name ?? "";
  if (isSameName(name, submitLabel))
    return action === "labeled" ? { ...mergeCommand, priority } : { type: "cancel" };
  if (writtenPriority(file.labels, name) === undefined) return null;
  const entry = await findEntry(client, repo, branch, pull.number);
  if (!entry?.isCurrentlySubmittedToQueue) return null;
  return { ...mergeCommand, priority: priority ?? defaultPriority };
}

/**
 * Whether the service itself removed the label, as it does with refused labels and when a pull request leaves the queue. It
 * never removes the submit label of a queued pull request. Payloads do not name the App that changed a label, so other
 * removals by unlisted bots count as ours.
 */
async function isOurs(
  { client }: BotParts,
  { repo, branch, file, queue, submitLabel }: LabelledBranch,
  { action, pull_request: pull, label }: Payload,
  commander: Commander,
): Promise<boolean> {
  if (commander.isPerson || isListedBot(commander, file, queue) || action === "labeled") return false;
  const entry = await findEntry(client, repo, branch, pull.number);
  return (
    !isSameName(label?.name, submitLabel) ||
    !entry?.isCurrentlySubmittedToQueue ||
    entry.submittedVia !== "label"
  );
}
