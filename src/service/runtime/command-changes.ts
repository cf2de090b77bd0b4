import type { Decided } from "../../engine/decide.ts";
import type { Entry } from "../../engine/model/entry.ts";
import type { Command } from "../../engine/model/input.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import type { AuditChange } from "../../store/access/audit-log.ts";
import { changesBetween } from "../access/audit-changes.ts";

/** Lists what a command changed, by the API's names. Null: commands of this kind list no changes. */
export function changesOf(
  before: QueueState,
  command: Command,
  { state, touched }: Pick<Decided, "state" | "touched">,
): AuditChange[] | null {
  switch (command.type) {
    case "create_queue":
      return changesBetween({}, queueFields(state));
    case "configure":
      return changesBetween(queueFields(before), queueFields(state));
    case "delete_queue":
      return changesBetween(queueFields(before), {});
    case "submit":
    case "cancel":
    case "restart": {
      const pr = command.type === "submit" ? command.pullRequest.number : command.pr;
      const after = touched.get(pr) ?? state.entries.get(pr);
      return changesBetween(entryFields(before.entries.get(pr)), entryFields(after));
    }
    case "try":
    case "cancel_try":
      return null;
  }
}

/** A pending mode and policy count as set, as in the answers of the API. */
function queueFields({ settings, status, statusReason, next }: QueueState) {
  const { commandsDisabledBy: _, ...shown } = settings;
  const explanation =
    statusReason.code === "CONFIGURED" ? (statusReason.note ?? null) : renderReason(statusReason);
  return {
    state: status,
    stateAfterSwitch: next?.status ?? null,
    stateExplanation: explanation,
    ...shown,
    mode: next?.mode ?? settings.mode,
    policy: next?.policy ?? settings.policy,
  };
}

function entryFields(entry: Entry | undefined) {
  if (entry === undefined) return {};
  const { state, headSha, priority, noBatch, message, runId } = entry;
  return {
    state,
    prSha: headSha,
    priority: priority.name,
    noBatch: noBatch || null,
    commitTitle: message?.title ?? null,
    commitMessage: message?.body ?? null,
    // A restart may leave the state as it was, so the run shows the change.
    testRunId: runId,
  };
}
