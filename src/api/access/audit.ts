import type { FastifyRequest } from "fastify";
import type { AuditedAct, AuditTrail } from "../../service/access/audit-trail.ts";
import type { Principal } from "../../service/access/tokens.ts";
import type { AuditActor } from "../../store/access/audit-log.ts";
import { type AuditSubject, type ReadRequest, unreadSubject } from "../bodies/read-request.ts";
import type { Served } from "../endpoint.ts";
import { actingFor } from "./on-behalf.ts";

/**
 * The codes of refusals that concern no organisation with a queue here. Anyone on the code host can get a workflow's token, or sign in, and cause them.
 */
const ofStrangers: ReadonlySet<string | null> = new Set([
  "QUEUE_NOT_FOUND",
  "REPOSITORY_NOT_FOUND",
  "HOST_NOT_SERVED",
  "INVALID_BODY",
  "BAD_REQUEST",
  "APP_NOT_INSTALLED",
]);

/** Whether an unknown workflow, fork or person was refused for a reason that concerns no organisation here. */
export function isOfStranger({ kind }: Principal, code: string | null): boolean {
  return kind !== "token" && kind !== "bot" && ofStrangers.has(code);
}

/** Records in the audit log which commands requests carried out and which requests were refused. */
export class RequestAudit {
  readonly #trail: Pick<AuditTrail, "record" | "execute">;

  constructor(trail: Pick<AuditTrail, "record" | "execute">) {
    this.#trail = trail;
  }

  /**
   * Carries out a command. Records its outcome before the answer is sent: in the transaction of the command's
   * events if it has any.
   */
  execute(
    request: FastifyRequest,
    action: string,
    principal: Principal,
    serve: () => Promise<Served>,
  ): Promise<Served> {
    return this.#trail.execute(
      (outcome, code) => actOf(request, action, principal, outcome, code),
      serve,
      (served) => (served.ok ? null : served.problem.code),
    );
  }

  /** Records that a request was refused access. */
  async refused(request: FastifyRequest, action: string, principal: Principal, code: string): Promise<void> {
    const act = actOf(request, action, principal, "refused", code);
    if (act) await this.#trail.record(act);
  }
}

/** Null when nothing is recorded. */
function actOf(
  request: FastifyRequest,
  action: string,
  principal: Principal,
  outcome: AuditedAct["outcome"],
  code: string | null,
): AuditedAct | null {
  if (isOfStranger(principal, code)) return null;
  const subject = (request.body as ReadRequest | undefined)?.subject ?? unreadSubject;
  const { repo, branch, pr } = subject;
  const organisation = principal.organisation || repo?.owner;
  // A request of our own bot that names no repository belongs to no organisation, so nobody could read its record.
  if (organisation === undefined) return null;
  const isBot = principal.kind === "bot";
  return {
    organisation,
    action,
    outcome,
    code,
    ...actorOf(principal, subject),
    repo,
    branch,
    pr,
    token: null,
    subject: null,
    changes: null,
    // Our own bot calls from this process, on behalf of a user whose address only the code host knows.
    address: isBot ? null : request.ip,
    userAgent: isBot ? null : (request.headers["user-agent"] ?? null),
    requestId: request.id,
  };
}

function actorOf(
  principal: Principal,
  { behalf, reason: given }: AuditSubject,
): { actor: AuditActor; via: AuditedAct["via"]; reason: string | null } {
  const { actor, via } = actingFor(principal, behalf);
  const reason = given ?? actor.reason ?? null;
  if (actor.kind === "user" || principal.kind === "person")
    return { actor: { kind: "user", id: actor.name, name: actor.name }, via, reason };
  const kind = principal.kind === "bot" ? "token" : principal.kind;
  return { actor: { kind, id: principal.id, name: principal.name }, via, reason };
}
