import type * as z from "zod";
import type { BotParts } from "./parts.ts";
import { type checkRunPayload, repositoryOf, type statusPayload } from "./payload.ts";

const passing: ReadonlySet<string> = new Set(["success", "neutral", "skipped"]);

export async function handleCheckRun(
  { watcher, settings }: BotParts,
  payload: z.infer<typeof checkRunPayload>,
): Promise<void> {
  const { name, head_sha: sha, conclusion, app } = payload.check_run;
  if (app?.id === settings.appId) return;
  const outcome = conclusion !== null && passing.has(conclusion) ? "passed" : "failed";
  await watcher.hint({ repo: repositoryOf(payload, settings.host), sha, name, outcome });
}

export async function handleStatus(
  { watcher, settings }: BotParts,
  payload: z.infer<typeof statusPayload>,
): Promise<void> {
  if (payload.state === "pending") return;
  const outcome = payload.state === "success" ? "passed" : "failed";
  const { sha, context: name } = payload;
  await watcher.hint({ repo: repositoryOf(payload, settings.host), sha, name, outcome });
}
