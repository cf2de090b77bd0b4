import type { Decision } from "./decision.ts";
import type { Command, QueueChanges } from "./input.ts";
import type { QueueSettings } from "./settings.ts";

export function createQueue(decision: Decision, command: Extract<Command, { type: "create_queue" }>): void {
  if (!decision.state.deleted) return decision.refuse({ code: "QUEUE_EXISTS", branch: command.branch });
  const { type: _type, ...created } = command;
  decision.record({ type: "queue_created", ...created });
}

export function deleteQueue(decision: Decision, command: Extract<Command, { type: "delete_queue" }>): void {
  if (decision.state.entries.size > 0) {
    const prs = [...decision.state.entries.values()].map((entry) => entry.pr);
    return decision.refuse({ code: "QUEUE_NOT_EMPTY", prs });
  }
  decision.record({ type: "queue_deleted", actor: command.actor });
}

/** Changes settings and state. A new mode waits until nothing is in the line, if anything is in the queue. */
export function configure(decision: Decision, command: Extract<Command, { type: "configure" }>): void {
  const { status, mode, ...rest } = command.changes;
  const { state } = decision;
  if (state.status === "switching_modes") return decision.refuse({ code: "SWITCHING_MODES" });
  const changes = changed(state.settings, rest);
  const newMode = mode !== undefined && mode !== state.settings.mode ? mode : null;
  const atOnce = newMode !== null && state.entries.size === 0 ? { mode: newMode } : {};
  const configured = { ...changes, ...atOnce };
  if (Object.keys(configured).length > 0) {
    decision.record({ type: "queue_configured", changes: configured, actor: command.actor });
  }
  const reason = { code: "CONFIGURED", by: command.actor.name } as const;
  if (newMode !== null && state.entries.size > 0) {
    decision.record({ type: "queue_status_changed", to: "switching_modes", reason, nextMode: newMode });
  } else if (status !== undefined && status !== state.status) {
    decision.record({ type: "queue_status_changed", to: status, reason });
  }
}

/** Begins the new mode once nothing is testing or waiting to merge; waiting entries carry over. */
export function finishSwitching(decision: Decision): void {
  const { status, nextMode, line, merge, statusReason } = decision.state;
  if (status !== "switching_modes" || nextMode === null || line.length > 0 || merge) return;
  decision.record({
    type: "queue_configured",
    changes: { mode: nextMode },
    actor: { kind: "system", name: "trainyard" },
  });
  decision.record({ type: "queue_status_changed", to: "running", reason: statusReason });
}

function changed(settings: QueueSettings, changes: Omit<QueueChanges, "status">): Partial<QueueSettings> {
  const differs = ([key, value]: [string, unknown]) =>
    JSON.stringify(settings[key as keyof QueueSettings]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(changes).filter(differs));
}
