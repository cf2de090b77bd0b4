import type { Entry } from "../../engine/model/entry.ts";
import type { PullRequestFacts } from "../../engine/model/pull-request-facts.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import { isListedBot } from "../access/listed-bot.ts";
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
  const { bots, permission: needed } = file.file;
  const permission = pusher.isPerson
    ? await codeHost.permissionOf(repo, pusher.login)
    : isListedBot(pusher, { bots, allowed: settings.allowedBotSubmitters })
      ? "write"
      : "none";
  return permission === "admin" || permission === needed ? "may_submit" : "may_not_submit";
}
