import type * as z from "zod";
import type { BotParts } from "./parts.ts";
import { type pullRequestPayload, repositoryOf } from "./payload.ts";

const newHead: ReadonlySet<string> = new Set(["opened", "synchronize"]);

export async function handlePullRequest(
  { relay, settings }: BotParts,
  payload: z.infer<typeof pullRequestPayload>,
): Promise<void> {
  const { installationId: _, ...repo } = repositoryOf(payload, settings.host);
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
}
