import { userInfo } from "node:os";
import type { AuditLog } from "../ports/audit-log.ts";

/** Something that was done at this machine. */
export interface OperatorAct {
  /** Whose entry it is: the owner of what it was done to. */
  readonly organisation: string;
  readonly action: "createToken" | "revokeToken" | "createWebhook" | "deleteWebhook";
  /** The id of the token that was created or revoked. */
  readonly token?: string;
}

/** Notes in the audit log what was done, by whoever is at this machine. */
export function noteInAuditLog(audit: AuditLog, { organisation, action, token }: OperatorAct): Promise<void> {
  const name = operator();
  return audit.append({
    at: Date.now(),
    organisation: organisation.toLowerCase(),
    action,
    outcome: "done",
    code: null,
    actor: { kind: "operator", id: name, name },
    via: "cli",
    repo: null,
    branch: null,
    pr: null,
    token: token ?? null,
    address: null,
    userAgent: null,
    requestId: null,
  });
}

function operator(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
