import { AsyncLocalStorage } from "node:async_hooks";
import type { AuditEntry } from "../../store/access/audit-log.ts";

/** The audit entry of a command that is being carried out. */
export interface PendingAudit {
  /** What is recorded if the command is carried out. */
  readonly entry: AuditEntry;
  /** Set when the entry is durable, because it was committed together with the command's events. */
  isWritten: boolean;
}

const commands = new AsyncLocalStorage<PendingAudit>();

/**
 * Carries out a command whose audit entry is committed together with its first events, if it has any.
 *
 * Hazard: work that begins meanwhile and goes on in the background belongs to this command, too. Only inputs
 * that are commands may claim the entry.
 */
export function auditing<T>(pending: PendingAudit, carryOut: () => Promise<T>): Promise<T> {
  return commands.run(pending, carryOut);
}

/** The entry of the command that is being carried out; null when it is written, or when there is none. */
export function pendingAudit(): PendingAudit | null {
  const pending = commands.getStore();
  return pending && !pending.isWritten ? pending : null;
}
