import type * as z from "zod";
import { resemblesRepositoryFile } from "../../command/repository-file.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Bot } from "../bot.ts";
import { type pullRequestPayload, repositoryOf } from "../deliveries/payload.ts";
import { checkRepositoryFile } from "./check-repository-file.ts";

type Payload = z.infer<typeof pullRequestPayload>;

const newHead: ReadonlySet<string> = new Set(["opened", "synchronize", "reopened"]);

export async function handlePullRequest(bot: Bot, payload: Payload, reviewed: boolean): Promise<void> {
  const { relay, settings } = bot;
  const at = repositoryOf(payload, settings.host);
  const { installationId: _, ...repo } = at;
  const pull = payload.pull_request;
  await relay.pullRequestChanged({
    repo,
    number: pull.number,
    headSha: pull.head.sha,
    baseBranch: pull.base.ref,
    title: pull.title,
    open: pull.state === "open",
    draft: pull.draft ?? false,
    updatedAt: Date.parse(pull.updated_at),
    headSince: headSince(payload),
    reviewed: reviewed || payload.changes?.body !== undefined,
  });
  if (changesFile(payload) && !settings.ownBranches.some((prefix) => pull.head.ref.startsWith(prefix)))
    await judgeFile(bot, at, payload);
}

/**
 * Returns the latest time at which the pull request got this head; null when the action does not change the head. Times are whole seconds.
 */
function headSince({ action, pull_request: pull }: Payload): number | null {
  if (!newHead.has(action)) return null;
  const at = Date.parse(pull.updated_at);
  // Nobody can comment on a pull request before it is opened, so a comment in the same second came after the head.
  return action === "opened" ? at - 1_000 : at;
}

function changesFile({ action, changes }: Payload): boolean {
  return newHead.has(action) || (action === "edited" && changes?.base !== undefined);
}

/** Checks the repository's file if the pull request changes it. */
async function judgeFile(
  bot: Bot,
  at: InstalledRepository,
  { pull_request: { number, head, base } }: Payload,
): Promise<void> {
  if (await bot.codeHost.isSameRepositoryFile(at, [head.sha, base.ref])) return;
  // The target branch may have changed the file since.
  const changed = await bot.codeHost.changedPaths(at, number);
  if (changed.some(resemblesRepositoryFile)) await checkRepositoryFile(bot, at, head.sha);
}
