import type * as z from "zod";
import { repositoryFilePath } from "../command/repository-file.ts";
import type { InstalledRepository } from "../ports/code-host.ts";
import { checkRepositoryFile } from "./check-repository-file.ts";
import type { BotParts } from "./parts.ts";
import { type pullRequestPayload, repositoryOf } from "./payload.ts";

type Payload = z.infer<typeof pullRequestPayload>;

const newHead: ReadonlySet<string> = new Set(["opened", "synchronize", "reopened"]);

export async function handlePullRequest(parts: BotParts, payload: Payload, reviewed: boolean): Promise<void> {
  const { relay, settings } = parts;
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
    await judgeFile(parts, at, payload);
}

/** By when the pull request had this head, if it got one; times are whole seconds. */
function headSince({ action, pull_request: pull }: Payload): number | null {
  if (!newHead.has(action)) return null;
  const at = Date.parse(pull.updated_at);
  // Nothing can be said on a pull request before it is opened, so that a comment in the same second came after its head.
  return action === "opened" ? at - 1_000 : at;
}

function changesFile({ action, changes }: Payload): boolean {
  return newHead.has(action) || (action === "edited" && changes?.base !== undefined);
}

/** Of a pull request that changes the repository's file, says whether that is valid. */
async function judgeFile(
  parts: BotParts,
  at: InstalledRepository,
  { pull_request: { number, head, base } }: Payload,
): Promise<void> {
  if (await parts.isSameFile(at, repositoryFilePath, [head.sha, base.ref])) return;
  // It may be the target branch that has changed it since.
  const changed = await parts.changedPaths(at, number);
  if (changed.includes(repositoryFilePath)) await checkRepositoryFile(parts, at, head.sha);
}
