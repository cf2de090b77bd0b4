import type { FastifyRequest } from "fastify";
import type { AuditActor } from "../ports/audit-log.ts";
import type { AuditedAct, AuditTrail } from "../service/audit-trail.ts";
import type { Principal } from "../service/token-service.ts";
import { actingFor } from "./acting-for.ts";
import type { Served } from "./endpoint.ts";
import type { ReadRequest } from "./read-request.ts";
import { nothingSaid, type Said } from "./said.ts";

/** Outcomes that do not show that there is a queue here. Anybody on the code host can have a workflow's token issued. */
const ofStrangers: ReadonlySet<string | null> = new Set([
  "QUEUE_NOT_FOUND",
  "REPOSITORY_NOT_FOUND",
  "HOST_NOT_SERVED",
  "INVALID_BODY",
  "APP_NOT_INSTALLED",
]);

/** Whether somebody whom nobody here knows was refused what nobody here needs to know of. */
export function isOfStranger({ kind }: Principal, code: string | null): boolean {
  return (kind === "workflow" || kind === "fork_run") && ofStrangers.has(code);
}

/** Notes for the audit log what requests did and what they were refused. */
export class RequestAudit {
  readonly #trail: Pick<AuditTrail, "record">;

  constructor(trail: Pick<AuditTrail, "record">) {
    this.#trail = trail;
  }

  /** Carries out a command, and notes what came of it before that is answered. */
  async carryOut(
    request: FastifyRequest,
    action: string,
    principal: Principal,
    serve: () => Promise<Served>,
  ): Promise<Served> {
    let served: Served | undefined;
    try {
      served = await serve();
      return served;
    } finally {
      if (served?.ok) await this.#note(request, action, principal, "done", null);
      else if (served) await this.#note(request, action, principal, "refused", served.problem.code);
      else await this.#note(request, action, principal, "failed", "INTERNAL_ERROR");
    }
  }

  /** Notes that somebody was not let in. */
  refused(request: FastifyRequest, action: string, principal: Principal, code: string): Promise<void> {
    return this.#note(request, action, principal, "refused", code);
  }

  async #note(
    request: FastifyRequest,
    action: string,
    principal: Principal,
    outcome: AuditedAct["outcome"],
    code: string | null,
  ): Promise<void> {
    if (isOfStranger(principal, code)) return;
    const said = (request.body as ReadRequest | undefined)?.said ?? nothingSaid;
    const { repo, branch, pr } = said;
    const organisation = principal.organisation || repo?.owner;
    // Our own bot's, about no repository: nobody's to read.
    if (organisation === undefined) return;
    const isBot = principal.kind === "bot";
    await this.#trail.record({
      organisation,
      action,
      outcome,
      code,
      ...actorOf(principal, said),
      repo,
      branch,
      pr,
      token: null,
      // Our own bot calls from this process, on behalf of somebody whose address only the code host knows.
      address: isBot ? null : request.ip,
      userAgent: isBot ? null : (request.headers["user-agent"] ?? null),
      requestId: request.id,
    });
  }
}

function actorOf(principal: Principal, { behalf }: Said): { actor: AuditActor; via: AuditedAct["via"] } {
  const { actor, via } = actingFor(principal, behalf);
  if (actor.kind === "user") return { actor: { kind: "user", id: actor.name, name: actor.name }, via };
  const kind = principal.kind === "bot" ? "token" : principal.kind;
  return { actor: { kind, id: principal.id, name: principal.name }, via };
}
