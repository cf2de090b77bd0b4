import type * as z from "zod";
import type { CheckFact } from "../../engine/model/checks/required-checks.ts";
import { hintOf } from "../../service/observation/check-watcher.ts";
import { type checkRunPayload, repositoryOf, type statusPayload } from "../deliveries/payload.ts";
import type { BotParts } from "../parts.ts";

export async function handleCheckRun(
  parts: BotParts,
  payload: z.infer<typeof checkRunPayload>,
): Promise<void> {
  const check = noteCheckRun(parts, payload);
  const repo = repositoryOf(payload, parts.settings.host);
  const hint = check && hintOf(repo, payload.check_run.head_sha, check);
  if (hint) await parts.watcher.hint(hint);
}

/** Notes a check run that has begun or ended, to be displayed. Returns null for our own. */
export function noteCheckRun(
  { toldChecks, settings }: Pick<BotParts, "toldChecks" | "settings">,
  payload: z.infer<typeof checkRunPayload>,
): CheckFact | null {
  const { check_run: run } = payload;
  if (run.app?.id === settings.appId) return null;
  const check: CheckFact = {
    kind: "check_run",
    name: run.name,
    appId: run.app?.id ?? null,
    suiteId: run.check_suite?.id ?? null,
    id: run.id,
    status: run.status,
    conclusion: run.conclusion,
    url: run.html_url,
  };
  toldChecks.note(repositoryOf(payload, settings.host), run.head_sha, check);
  return check;
}

export async function handleStatus(
  { watcher, toldChecks, settings }: BotParts,
  payload: z.infer<typeof statusPayload>,
): Promise<void> {
  const { sha } = payload;
  const repo = repositoryOf(payload, settings.host);
  const check = toFact(payload);
  toldChecks.note(repo, sha, check);
  const hint = hintOf(repo, sha, check);
  if (hint) await watcher.hint(hint);
}

function toFact({ id, context, state, target_url: url }: z.infer<typeof statusPayload>): CheckFact {
  const isPending = state === "pending";
  return {
    kind: "status",
    name: context,
    appId: null,
    suiteId: null,
    id,
    status: isPending ? "in_progress" : "completed",
    conclusion: isPending ? null : state,
    url,
  };
}
