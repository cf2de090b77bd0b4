import type * as z from "zod";
import { type Command, mergeCommand } from "../../command/parse-command.ts";
import { type RepositoryFile, writtenPriority } from "../../command/repository-file.ts";
import { defaultPriority } from "../../engine/model/entry.ts";
import { isSameName } from "../../engine/model/names.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { noticeAbout } from "../../service/status/notices.ts";
import type { Bot } from "../bot.ts";
import type { Answer } from "../commands/answer.ts";
import { labelRemovedText } from "../commands/answer-text.ts";
import {
  authorizationOf,
  type Commander,
  isListedBot,
  noteRefusal,
  refusalOf,
} from "../commands/authorize.ts";
import { executeCommand } from "../commands/execute-command.ts";
import { changeId, isSettled, type ReceivedChange } from "../commands/last-command.ts";
import { findEntry, readQueue } from "../commands/queues.ts";
import { type pullRequestPayload, repositoryOf } from "../deliveries/payload.ts";
import {
  missedItsQueue,
  presentBase,
  presentRepository,
  wasLabelRemovedSince,
} from "../deliveries/present-place.ts";
import { type LabelSettings, labelledPriority, readLabelSettings, submitLabelOf } from "./labels.ts";

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
export async function handleLabel(bot: Bot, payload: Payload, received: ReceivedChange): Promise<void> {
  const { action, label, sender, pull_request: pull } = payload;
  if (!label || (action !== "labeled" && action !== "unlabeled")) return;
  const { foundAt } = received;
  const repo = repositoryOf(payload, bot.settings.host);
  const labelled = await labelledBranch(bot, repo, payload, foundAt);
  if (labelled.queue?.labelCommandsEnabled === false) return;
  const commander = { login: sender.login, id: sender.id, isPerson: sender.type === "User" };
  const command = await commandOf(bot, labelled, payload);
  if (!command || (await isOurs(bot, labelled, payload, commander))) return;
  if (await isOutdated(bot, labelled, payload, command, foundAt)) return;
  const answer = await execute(bot, labelled, payload, command, commander, received);
  const present = await presentRepository(bot, repo, payload.repository.id ?? null);
  if (missedItsQueue([answer], repo, present)) return;
  const change = { pr: pull.number, login: sender.login, action, label: label.name } as const;
  await answerLabel(bot, present, change, answer);
}

async function labelledBranch(
  bot: Bot,
  repo: InstalledRepository,
  payload: Payload,
  foundAt: number | null,
): Promise<LabelledBranch> {
  const branch = await queueBranch(bot, repo, payload, givenAt(payload, foundAt));
  const parsed = await bot.files.read(repo, branch);
  const file = parsed.ok ? parsed.file : bot.files.lastValid(repo, branch);
  // Polling finds a change only once, so it must not be judged by settings that may be seconds old.
  const queue =
    foundAt === null ? await readLabelSettings(bot, repo, branch) : await readQueue(bot.client, repo, branch);
  return { repo, branch, file, queue, submitLabel: submitLabelOf(queue, file, bot.settings.submitLabel) };
}

/** Whether the change has been handled already, or the label has been removed since. */
async function isOutdated(
  bot: Bot,
  { repo, branch, submitLabel }: LabelledBranch,
  payload: Payload,
  command: Command,
  foundAt: number | null,
): Promise<boolean> {
  const { action, label, pull_request: pull } = payload;
  if (foundAt !== null) {
    const currentHead = pull.head.sha;
    const found = { repo, pr: pull.number, branch, via: "label", givenAt: foundAt, currentHead } as const;
    const entry = await findEntry(bot.client, repo, branch, pull.number);
    if (await isSettled(bot, found, command, entry)) return true;
  }
  const submits = isSameName(label?.name, submitLabel) && action === "labeled";
  return submits && wasLabelRemovedSince(bot, repo, payload, givenAt(payload, foundAt));
}

async function execute(
  bot: Bot,
  { repo, branch }: LabelledBranch,
  payload: Payload,
  command: Command,
  commander: Commander,
  received: ReceivedChange,
): Promise<Answer> {
  const { pull_request: pull } = payload;
  const { foundAt } = received;
  const pr = pull.number;
  const authorization = await authorizationOf(bot, repo, branch, commander);
  const refusal = refusalOf(command.type, commander, authorization);
  if (refusal) {
    await noteRefusal(bot, { repo, pr, branch, by: commander, via: "label" }, command.type, refusal.code);
    return refusal;
  }
  const at = givenAt(payload, foundAt);
  const told = foundAt === null;
  // Polling knows only the current head, not the one that the label was put on.
  const head = told ? pull.head.sha : null;
  const by = { login: commander.login, permission: authorization.permission };
  const given = {
    id: changeId(received),
    comment: 0,
    givenAt: at,
    told,
    by,
    via: "label",
  } as const;
  return executeCommand(bot, { ...given, repo, pr, branch, head }, command);
}

function givenAt({ pull_request: pull }: Payload, foundAt: number | null): number {
  return foundAt ?? Date.parse(pull.updated_at);
}

/**
 * Returns the branch whose queue a changed label is about. After a change of the base branch, a pull request may still wait in the queue to
 * which the removed label had added it.
 */
async function queueBranch(
  bot: Bot,
  repo: InstalledRepository,
  { action, label, pull_request: pull }: Payload,
  at: number,
): Promise<string> {
  const base = pull.stack?.base.ref ?? pull.base.ref;
  const hasQueue = (await readLabelSettings(bot, repo, base)) !== null;
  if (action === "labeled") {
    const present = hasQueue ? await presentBase(bot, repo, pull.number, base, at) : base;
    // If the branch was just renamed, its queue may still have the former name.
    return (await readLabelSettings(bot, repo, present)) ? present : base;
  }
  const isUsualLabel = isSameName(label?.name, bot.settings.submitLabel);
  return hasQueue || !isUsualLabel ? base : ((await bot.baseBranchOf(repo, pull.number)) ?? base);
}

/** Returns the command of a label in the current state; null when it is not a command. */
async function commandOf(
  { client }: Bot,
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
 * Whether the service itself removed the label, as it does with refused labels and when a pull request leaves the queue. It never removes
 * the submit label of a queued pull request. Payloads do not name the App that changed a label, so all other removals by unlisted bots
 * count as ours.
 */
async function isOurs(
  { client }: Bot,
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

interface LabelChange {
  readonly pr: number;
  /** Who changed the label. */
  readonly login: string;
  readonly action: "labeled" | "unlabeled";
  readonly label: string;
}

/**
 * Answers a label that is a command. A refused label is removed, so that nobody relies on it. The answer is written before the removal: if
 * the response to the removal is lost, the delivery is handled again, and finds no label to answer.
 */
async function answerLabel(
  { log, notices, codeHost }: Bot,
  repo: InstalledRepository,
  { pr, login, action, label }: LabelChange,
  answer: Answer,
): Promise<void> {
  if (answer.done) return notices.answer(repo, pr, login, answer.text, true);
  log.info({ pr, login, code: answer.code }, "refused a label");
  const isTakenOff = action === "labeled";
  const text = isTakenOff ? `${answer.text} ${labelRemovedText(label)}` : answer.text;
  await notices.answer(repo, pr, noticeAbout("label", login), text);
  if (isTakenOff) await codeHost.removeLabel(repo, pr, label);
}
