import type { FastifyRequest } from "fastify";
import * as z from "zod";
import type { AuditActor } from "../ports/audit-log.ts";
import type { AuditedAct, AuditTrail } from "../service/audit-trail.ts";
import type { Principal } from "../service/token-service.ts";
import { actingFor } from "./acting-for.ts";
import type { Served } from "./endpoint.ts";
import { onBehalf } from "./schema/on-behalf.ts";
import { pullRequestNumber } from "./schema/pull-request.ts";
import { branchName } from "./schema/queue-address.ts";
import { repository } from "./schema/repository.ts";

/** What a request is about, as far as its body says so. */
const subject = z.object({
  repo: repository.nullable().catch(null),
  targetBranch: branchName.nullable().catch(null),
  pr: z.object({ number: pullRequestNumber.nullable().catch(null) }).catch({ number: null }),
});
const noSubject: z.output<typeof subject> = { repo: null, targetBranch: null, pr: { number: null } };
const behalf = z.object(onBehalf);

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
    const { repo, targetBranch, pr } = subject.safeParse(request.body).data ?? noSubject;
    const organisation = principal.organisation || repo?.owner;
    // Our own bot's, about no repository: nobody's to read.
    if (organisation === undefined) return;
    const isBot = principal.kind === "bot";
    await this.#trail.record({
      organisation,
      action,
      outcome,
      code,
      ...actorOf(principal, request.body),
      repo,
      branch: targetBranch,
      pr: pr.number,
      token: null,
      // Our own bot calls from this process, on behalf of somebody whose address only the code host knows.
      address: isBot ? null : request.ip,
      userAgent: isBot ? null : (request.headers["user-agent"] ?? null),
      requestId: request.id,
    });
  }
}

function actorOf(principal: Principal, body: unknown): { actor: AuditActor; via: AuditedAct["via"] } {
  const { actor, via } = actingFor(principal, behalf.safeParse(body).data ?? {});
  if (actor.kind === "user") return { actor: { kind: "user", id: actor.name, name: actor.name }, via };
  const kind = principal.kind === "bot" ? "token" : principal.kind;
  return { actor: { kind, id: principal.id, name: principal.name }, via };
}
