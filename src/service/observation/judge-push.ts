import type { RepositoryFile } from "../../command/repository-file.ts";
import type { Entry, PullRequestFacts } from "../../engine/model/entry.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import { type BotAccount, isListedBot } from "../access/listed-bot.ts";
import { isCodeHostFailure } from "../workers/retry.ts";
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

/** The maximum number of attempts to find out who pushed a head, or whether it was rebased only. After that, it is a push like any other. */
export const maxPushLooks = 5;

/**
 * Whether a bot in `rebasingBots` has pushed the head of a queued pull request and only rebased it. Null: the code host does not tell yet
 * who pushed it, or fails. Costs a call for a new head, and four more if such a bot pushed it; none if the repository lists no bots.
 */
export async function judgeRebase(
  { codeHost, files }: { readonly codeHost: CodeHost; readonly files: RepositoryFiles },
  repo: InstalledRepository,
  entry: Entry | undefined,
  { headRef, headSha, baseBranch, state, fromFork }: PullRequestFacts,
): Promise<boolean | null> {
  const isNew = entry !== undefined && headSha !== entry.headSha && baseBranch === entry.baseBranch;
  if (!isNew || state !== "open" || fromFork) return false;
  try {
    const parsed = await files.read(repo, baseBranch);
    if (!parsed.ok || parsed.file.rebasingBots.length === 0) return false;
    const pusher = await codeHost.pusherOf(repo, headRef, headSha);
    if (!pusher) return null;
    if (pusher.isPerson || !parsed.file.rebasingBots.includes(pusher.id)) return false;
    const compared = [entry.headSha, headSha].map((head) => codeHost.compareHead(repo, baseBranch, head));
    const [before, after] = (await Promise.all(compared)).map(({ patch }) => patch);
    return before !== null && before === after;
  } catch (error) {
    if (!isCodeHostFailure(error)) throw error;
    // The former head may be gone. GitHub may also answer each comparison of a large change by a failure.
    return error.kind === "not_found" || error.kind === "invalid" ? false : null;
  }
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
