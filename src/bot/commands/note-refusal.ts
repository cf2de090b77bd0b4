import type { Verb } from "../../command/parse-command.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { BotParts } from "../parts.ts";
import type { Commander } from "./authorize.ts";

/** The API endpoint that each command would have called; null = none that changes anything. */
const actions = {
  merge: "submitPullRequest",
  try: "tryPullRequest",
  cancel: "cancelPullRequest",
  restart: "restartTestsOnPullRequest",
  pause: "updateQueue",
  resume: "updateQueue",
  drain: "updateQueue",
  status: null,
  help: null,
} as const satisfies Record<Verb, string | null>;

interface Asked {
  readonly repo: InstalledRepository;
  readonly pr: number;
  readonly branch: string;
  readonly by: Commander;
  readonly via: "comment" | "label" | "auto_merge" | "check";
}

/**
 * Records in the audit log that somebody without permission gave a command. Permitted commands are recorded where they are
 * carried out.
 */
export async function noteRefusal(
  { audit }: BotParts,
  { repo: { installationId: _, ...repo }, pr, branch, by, via }: Asked,
  verb: Verb,
  code: string,
): Promise<void> {
  const action = actions[verb];
  if (action === null) return;
  await audit.record({
    organisation: repo.owner,
    action,
    outcome: "refused",
    code,
    actor: { kind: "user", id: by.login, name: by.login },
    via,
    repo,
    branch,
    pr,
    token: null,
    address: null,
    userAgent: null,
    requestId: null,
  });
}
