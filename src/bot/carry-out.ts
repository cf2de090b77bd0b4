import { ApiError } from "../client/client.ts";
import type { PullRequestCommand } from "../command/parse-command.ts";
import type { InstalledRepository } from "../ports/code-host.ts";
import type { BotParts } from "./parts.ts";

export interface CommandContext {
  readonly repo: InstalledRepository;
  readonly pr: number;
  readonly command: PullRequestCommand;
  readonly by: { readonly login: string; readonly permission: string };
  readonly via: "comment" | "label";
  /** The head that the command is about, when that is known: a label is put on a head, a comment is not. */
  readonly head: string | null;
  /** The head as last seen, and whether that was pushed before the command was given; null when none was seen. */
  readonly seen: { readonly sha: string; readonly pushed: "before" | "after" } | null;
}

/** Sends a command to the queue. Answers what stands in its way, in Markdown; null when nothing does. */
export async function carryOut(parts: BotParts, context: CommandContext): Promise<string | null> {
  const { repo, pr, command } = context;
  const targetBranch = await parts.baseBranchOf(repo, pr);
  if (targetBranch === null) return `there is no pull request #${pr}.`;
  const { installationId: _, ...address } = repo;
  try {
    switch (command.type) {
      case "merge":
        return await submit(parts, context, command, { repo: address, targetBranch });
      case "cancel":
        await parts.client.cancelPullRequest({
          repo: address,
          targetBranch,
          pr: { number: pr },
          actor: context.by,
          via: context.via,
        });
        return null;
    }
  } catch (error) {
    // What the queue refuses is an answer; what failed is tried again.
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) return error.detail;
    throw error;
  }
}

async function submit(
  parts: BotParts,
  { pr, by, via, head, seen }: CommandContext,
  command: Extract<PullRequestCommand, { type: "merge" }>,
  queue: { repo: { host: string; owner: string; name: string }; targetBranch: string },
): Promise<string | null> {
  const sha = command.sha ?? head;
  if (sha === null && seen?.pushed === "after") {
    return `#${pr} was pushed to after the command was given. Look at what was pushed, then comment \`${parts.settings.commandPrefix} merge ${seen.sha.slice(0, 10)}\`.`;
  }
  await parts.client.submitPullRequest({
    ...queue,
    pr: { number: pr, ...(sha === null ? {} : { sha }) },
    ...(sha === null && seen !== null ? { seenHead: seen.sha } : {}),
    ...(command.priority === null ? {} : { priority: command.priority.value }),
    ...(command.noBatch === null ? {} : { noBatch: command.noBatch }),
    actor: by,
    via,
  });
  return null;
}
