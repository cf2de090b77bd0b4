import type { RepositoryFile } from "../../command/repository-file.ts";
import type { Entry } from "../../engine/model/entry.ts";
import type { PullRequestFacts } from "../../engine/model/pull-request-facts.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import { type BotAccount, isListedBot } from "../access/listed-bot.ts";
import { isCodeHostFailure } from "../tasks/retry.ts";
import type { RepositoryFiles } from "./repository-files.ts";

/** `unknown`: the code host does not say yet who pushed the head, or never will. */
export type PushVerdict = "may_submit" | "may_not_submit" | "unknown";

/** Whether a pull request has got a new head while its entry was not ready. Pushes to a fork never keep a submission. */
export function isPushedWhileUnready(entry: Entry | undefined, facts: PullRequestFacts): boolean {
  const isNew = entry?.state === "not_ready" && facts.headSha !== entry.headSha;
  return isNew && facts.state === "open" && !facts.fromFork;
}

/** Whether the person or bot that pushed a head may also submit it. Costs two calls, or one for a bot. */
export async function judgePush(
  { codeHost, files }: { readonly codeHost: CodeHost; readonly files: RepositoryFiles },
  repo: InstalledRepository,
  { branch, settings }: QueueState,
  { headRef, headSha }: PullRequestFacts,
): Promise<PushVerdict> {
  const file = await files.read(repo, branch);
  if (!file.ok) return "may_not_submit";
  const pusher = await codeHost.pusherOf(repo, headRef, headSha);
  if (!pusher) return "unknown";
  return (await maySubmit(codeHost, repo, pusher, file.file, settings)) ? "may_submit" : "may_not_submit";
}

/**
 * Whether a bot in `rebasingBots` has pushed the head of a queued pull request and only rebased it. Null: its record of pushes does not
 * name it yet. Costs a call for a new head, and four more if such a bot pushed it; none if the repository lists no bots.
 */
export async function judgeRebase(
  { codeHost, files }: { readonly codeHost: CodeHost; readonly files: RepositoryFiles },
  repo: InstalledRepository,
  entry: Entry | undefined,
  { headRef, headSha, baseBranch, state, fromFork }: PullRequestFacts,
): Promise<boolean | null> {
  const isNew = entry !== undefined && headSha !== entry.headSha && baseBranch === entry.baseBranch;
  if (!isNew || state !== "open" || fromFork) return false;
  const parsed = await files.read(repo, baseBranch);
  if (!parsed.ok || parsed.file.rebasingBots.length === 0) return false;
  const pusher = await codeHost.pusherOf(repo, headRef, headSha);
  if (!pusher) return null;
  if (pusher.isPerson || !parsed.file.rebasingBots.includes(pusher.id)) return false;
  const patches = [entry.headSha, headSha].map(async (head) => {
    try {
      return (await codeHost.compareHead(repo, baseBranch, head)).patch;
    } catch (error) {
      // The former head may be gone.
      if (isCodeHostFailure(error) && error.kind === "not_found") return null;
      throw error;
    }
  });
  const [before, after] = await Promise.all(patches);
  return before !== null && before === after;
}

/** Whether a person or a bot may submit pull requests, and take them out of the queue again. Costs a call for a person. */
export async function maySubmit(
  codeHost: Pick<CodeHost, "permissionOf">,
  repo: InstalledRepository,
  account: BotAccount & { readonly isPerson: boolean },
  { bots, permission: needed }: RepositoryFile,
  { allowedBotSubmitters: allowed }: Pick<QueueSettings, "allowedBotSubmitters">,
): Promise<boolean> {
  if (!account.isPerson) return needed !== "admin" && isListedBot(account, { bots, allowed });
  const permission = await codeHost.permissionOf(repo, account.login);
  return permission === "admin" || permission === needed;
}
