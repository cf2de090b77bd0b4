import type * as z from "zod";
import type { CheckFact } from "../../engine/model/checks/required-checks.ts";
import { type checkRunPayload, repositoryOf, type statusPayload } from "../deliveries/payload.ts";
import type { BotParts } from "../parts.ts";

const passing: ReadonlySet<string> = new Set(["success", "neutral", "skipped"]);

export async function handleCheckRun(
  parts: BotParts,
  payload: z.infer<typeof checkRunPayload>,
): Promise<void> {
  const { name, head_sha: sha, conclusion, app } = payload.check_run;
  if (app?.id === parts.settings.appId) return;
  noteCheckRun(parts, payload);
  const outcome = conclusion !== null && passing.has(conclusion) ? "passed" : "failed";
  await parts.watcher.hint({ repo: repositoryOf(payload, parts.settings.host), sha, name, outcome });
}

/** Notes a check run that has begun or ended, to be displayed. */
export function noteCheckRun(
  { toldChecks, settings }: Pick<BotParts, "toldChecks" | "settings">,
  payload: z.infer<typeof checkRunPayload>,
): void {
  const { check_run: run } = payload;
  if (run.app?.id === settings.appId) return;
  toldChecks.note(repositoryOf(payload, settings.host), run.head_sha, {
    kind: "check_run",
    name: run.name,
    appId: run.app?.id ?? null,
    suiteId: run.check_suite?.id ?? null,
    id: run.id,
    status: run.status,
    conclusion: run.conclusion,
    url: run.html_url,
  });
}

export async function handleStatus(
  { watcher, toldChecks, settings }: BotParts,
  payload: z.infer<typeof statusPayload>,
): Promise<void> {
  const { sha, context: name, state } = payload;
  const repo = repositoryOf(payload, settings.host);
  toldChecks.note(repo, sha, toFact(payload));
  if (state === "pending") return;
  const outcome = state === "success" ? "passed" : "failed";
  await watcher.hint({ repo, sha, name, outcome });
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
