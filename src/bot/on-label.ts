import type * as z from "zod";
import type { InstalledRepository } from "../ports/code-host.ts";
import { authorize } from "./authorize.ts";
import { carryOut } from "./carry-out.ts";
import { findEntry } from "./find-entry.ts";
import type { BotParts } from "./parts.ts";
import { type pullRequestPayload, repositoryOf } from "./payload.ts";

/**
 * The submit label: putting it on submits the head that it was put on, taking it off cancels. `foundAt` is the time of a
 * change that polling found: if the entry has changed since, the webhook had come after all.
 */
export async function handleLabel(
  parts: BotParts,
  payload: z.infer<typeof pullRequestPayload>,
  foundAt: number | null,
): Promise<void> {
  const { action, label, sender, pull_request: pull } = payload;
  const ours = label?.name === parts.settings.submitLabel;
  if (!ours || (action !== "labeled" && action !== "unlabeled") || sender.type !== "User") return;
  const repo = repositoryOf(payload, parts.settings.host);
  if (foundAt !== null && (await hasChangedSince(parts, repo, pull, foundAt))) return;
  const authorization = await authorize(parts, repo, sender.login);
  const answer = authorization.allowed
    ? await carryOut(parts, {
        repo,
        pr: pull.number,
        command:
          action === "labeled"
            ? { type: "merge", sha: null, priority: null, noBatch: null }
            : { type: "cancel" },
        by: { login: sender.login, permission: authorization.permission },
        via: "label",
        head: pull.head.sha,
        seen: null,
      })
    : authorization.why;
  await parts.notices.answer(repo, pull.number, answer);
}

async function hasChangedSince(
  { client }: BotParts,
  repo: InstalledRepository,
  pull: { number: number; base: { ref: string } },
  time: number,
): Promise<boolean> {
  const entry = await findEntry(client, repo, pull.base.ref, pull.number);
  return entry !== null && Date.parse(entry.stateChangedAt) >= time;
}
