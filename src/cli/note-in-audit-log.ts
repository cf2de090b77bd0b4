import { userInfo } from "node:os";
import { nameKey } from "../engine/model/names.ts";
import type { AuditEntry, AuditLog } from "../store/access/audit-log.ts";

/** An action that was taken on this machine. */
export interface OperatorAct extends Pick<AuditEntry, "changes"> {
  /** The organisation of the entry: the owner of the affected object. */
  readonly organisation: string;
  readonly action: "createToken" | "revokeToken" | "createWebhook" | "deleteWebhook";
  /** The id of the token that was created or revoked. */
  readonly token?: string;
  /** The webhook that was created or deleted. */
  readonly subject?: AuditEntry["subject"];
}

/** Records an action in the audit log, under the name of this machine's user. */
export function noteInAuditLog(
  audit: AuditLog,
  { organisation, action, token, subject, changes }: OperatorAct,
): Promise<void> {
  const name = operator();
  return audit.append({
    at: Date.now(),
    organisation: nameKey(organisation),
    action,
    outcome: "done",
    code: null,
    actor: { kind: "operator", id: name, name },
    via: "cli",
    repo: null,
    branch: null,
    pr: null,
    token: token ?? null,
    subject: subject ?? null,
    changes,
    reason: null,
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
