import type { Verb } from "../../command/parse-command.ts";
import { type ParsedRepositoryFile, renderProblems } from "../../command/parse-repository-file.ts";
import { type RepositoryFile, repositoryFilePath } from "../../command/repository-file.ts";
import type { InstalledRepository, RepositoryPermission } from "../../ports/code-host/code-host.ts";
import { isListedBot as isListed } from "../../service/access/listed-bot.ts";
import type { Bot } from "../bot.ts";
import { type Answer, refused } from "./answer.ts";
import { botNotListedText, fileInvalidText, permissionTooLowText } from "./answer-text.ts";
import { type QueueAnswer, readQueue } from "./queues.ts";

export interface Commander {
  readonly login: string;
  readonly id: number;
  readonly isPerson: boolean;
}

/** The permission of a commander, and the repository file on the target branch. */
interface Authorization {
  readonly permission: RepositoryPermission;
  readonly file: ParsedRepositoryFile;
  readonly branch: string;
}

type Needed = Exclude<RepositoryPermission, "none">;

const ranks: Readonly<Record<RepositoryPermission, number>> = { none: 0, read: 1, write: 2, admin: 3 };

/** The permission that a command needs; `submitting` = the repository file decides. */
const needed: Readonly<Record<Verb, Needed | "submitting">> = {
  merge: "submitting",
  try: "submitting",
  cancel: "submitting",
  restart: "submitting",
  status: "read",
  help: "read",
  pause: "admin",
  resume: "admin",
  drain: "admin",
};

/**
 * Reads the permission from GitHub each time: The `author_association` of payloads is not used, because it shows private members as
 * strangers. GitHub has no permissions for bots, so a listed bot counts as having write permission.
 */
export async function authorizationOf(
  { codeHost, files, client }: Bot,
  repo: InstalledRepository,
  branch: string,
  commander: Commander,
): Promise<Authorization> {
  const { login, isPerson } = commander;
  const file = await files.read(repo, branch);
  if (isPerson) return { permission: await codeHost.permissionOf(repo, login), file, branch };
  const isListed = file.ok && isListedBot(commander, file.file, await readQueue(client, repo, branch));
  return { permission: isListed ? "write" : "none", file, branch };
}

/** Returns the reason why somebody may not give a command, with advice; null when they may. */
export function refusalOf(
  verb: Verb,
  { login, id, isPerson }: Commander,
  { permission, file, branch }: Authorization,
): (Answer & { done: false }) | null {
  const needs = needed[verb];
  if (needs === "submitting" && !file.ok) {
    return refused(
      "REPOSITORY_FILE_INVALID",
      fileInvalidText(file.path, branch, renderProblems(file.problems)),
    );
  }
  const rule = needs !== "submitting" ? needs : file.ok ? file.file.permission : "admin";
  if (!isPerson && permission === "none")
    return refused("BOT_NOT_LISTED", botNotListedText(login, id, branch));
  if (ranks[permission] >= ranks[rule]) return null;
  const source = rule === "admin" && needs === "submitting" ? ` by ${repositoryFilePath}` : "";
  return refused("PERMISSION_TOO_LOW", permissionTooLowText(login, permission, verb, rule, source));
}

/** Whether a bot may give commands: the repository file lists its id, or the queue lists its id or login. */
export function isListedBot(
  commander: Pick<Commander, "login" | "id">,
  { bots }: RepositoryFile,
  queue: Pick<QueueAnswer, "allowedBotSubmitters"> | null,
): boolean {
  return isListed(commander, { bots, allowed: queue?.allowedBotSubmitters ?? [] });
}

/** The API endpoint that each command would have called; null = none, because it changes nothing. */
const actions = {
  merge: "submitPullRequest",
  try: "tryPullRequest",
  cancel: "cancelPullRequest",
  restart: "restartTestsOnPullRequest",
  pause: "updateQueue",
  resume: "updateQueue",
  drain: "updateQueue",
  status: null,
  help: null,
} as const satisfies Record<Verb, string | null>;

interface Asked {
  readonly repo: InstalledRepository;
  readonly pr: number;
  readonly branch: string;
  readonly by: Commander;
  readonly via: "comment" | "label" | "auto_merge" | "check";
}

/**
 * Records in the audit log that somebody without permission gave a command. Permitted commands are recorded where they are
 * carried out.
 */
export async function noteRefusal(
  { audit }: Bot,
  { repo: { installationId: _, ...repo }, pr, branch, by, via }: Asked,
  verb: Verb,
  code: string,
): Promise<void> {
  const action = actions[verb];
  if (action === null) return;
  await audit.record({
    organisation: repo.owner,
    action,
    outcome: "refused",
    code,
    actor: { kind: "user", id: by.login, name: by.login },
    via,
    repo,
    branch,
    pr,
    token: null,
    subject: null,
    changes: null,
    reason: null,
    address: null,
    userAgent: null,
    requestId: null,
  });
}
