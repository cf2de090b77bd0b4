import type { FastifyRequest } from "fastify";
import type { AuditedAct } from "../../service/access/audit-trail.ts";
import type { SignedInActor } from "../session.ts";

/** A request of a signed-in visitor on a page. */
export interface AskedAct extends Pick<AuditedAct, "organisation" | "action"> {
  readonly by: SignedInActor;
  readonly from: Pick<FastifyRequest, "ip" | "headers" | "id">;
}

/** The audit entry of a request on a page. */
export function describeAct(
  { organisation, action, by, from }: AskedAct,
  outcome: AuditedAct["outcome"],
  code: string | null,
): AuditedAct {
  return {
    ...{ organisation, action, outcome, code, actor: by, via: "dashboard" },
    ...{ repo: null, branch: null, pr: null, token: null, subject: null, changes: null, reason: null },
    address: from.ip,
    userAgent: from.headers["user-agent"] ?? null,
    requestId: from.id,
  };
}
