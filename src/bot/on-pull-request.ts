import type * as z from "zod";
import { repositoryFilePath } from "../command/repository-file.ts";
import { checkRepositoryFile } from "./check-repository-file.ts";
import type { BotParts } from "./parts.ts";
import { type pullRequestPayload, repositoryOf } from "./payload.ts";

const newHead: ReadonlySet<string> = new Set(["opened", "synchronize"]);

export async function handlePullRequest(
  parts: BotParts,
  payload: z.infer<typeof pullRequestPayload>,
): Promise<void> {
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
    newHead: newHead.has(payload.action),
  });
  if (newHead.has(payload.action) && isFork(pull)) {
    const changed = await parts.changedPaths(at, pull.number);
    if (changed.includes(repositoryFilePath)) await checkRepositoryFile(parts, at, pull.head.sha);
  }
}

/** Pushes to another repository are not told of, so that the pull request itself has to be asked what it changes. */
function isFork({ head, base }: z.infer<typeof pullRequestPayload>["pull_request"]): boolean {
  return head.repo !== undefined && head.repo?.id !== base.repo?.id;
}
