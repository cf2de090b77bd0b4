import type * as z from "zod";
import type { Command } from "../command/parse-command.ts";
import type { InstalledRepository } from "../ports/code-host.ts";
import { refused } from "./answer.ts";
import { refusalOf } from "./authorize.ts";
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
  const command: Command =
    action === "labeled"
      ? { type: "merge", sha: null, priority: null, noBatch: null, reason: null }
      : { type: "cancel" };
  const permission = await parts.permissionOf(repo, sender.login);
  const by = { login: sender.login, permission };
  const context = { repo, pr: pull.number, by, via: "label", head: pull.head.sha, seen: null } as const;
  const refusal = refusalOf(command.type, sender.login, permission);
  const { text } = refusal === null ? await carryOut(parts, context, command) : refused(refusal);
  await parts.notices.answer(repo, pull.number, text);
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
