import type { FastifyRequest } from "fastify";
import { ProblemError } from "../problems/problem.ts";
import type { RequestAudit } from "./audit.ts";
import { type Authorities, authenticate, type Requirement } from "./authenticate.ts";

/**
 * Authenticates the caller of an endpoint and sets the request's principal. Records refusals of known callers in the audit
 * log.
 *
 * @throws ProblemError 401 without valid credentials, 403 when they do not suffice, 503 when they cannot be verified now.
 */
export function guard(authorities: Authorities, audit: RequestAudit, action: string, required: Requirement) {
  return async (request: FastifyRequest): Promise<void> => {
    const authentication = await authenticate(authorities, required, request);
    if (!authentication.ok) {
      const { by, problem } = authentication;
      if (by) await audit.refused(request, action, by.principal, by.code);
      throw new ProblemError(problem);
    }
    request.setDecorator("principal", authentication.principal);
  };
}
