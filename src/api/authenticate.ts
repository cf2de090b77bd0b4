import type { FastifyRequest } from "fastify";
import type { TokenScope } from "../ports/token-store.ts";
import type { Principal, TokenService } from "../service/token-service.ts";
import { ProblemError } from "./problem.ts";

const tokenHeader = "x-api-token";
const challenge = 'ApiToken realm="trainyard"';

/**
 * Who sends a request, by the header `x-api-token`; an empty one counts as none. Looks at nothing else of the request, so
 * that nothing of a stranger's body is read.
 *
 * @throws ProblemError 401 without a valid token, 403 when that lacks the scope.
 */
export async function authenticate(
  tokens: Pick<TokenService, "authenticate">,
  scope: TokenScope,
  request: FastifyRequest,
): Promise<Principal> {
  const token = String(request.headers[tokenHeader] ?? "").trim();
  if (token === "") {
    throw new ProblemError({
      code: "TOKEN_MISSING",
      detail: `Send an API token in the header ${tokenHeader}.`,
      headers: { "www-authenticate": challenge },
    });
  }
  const principal = await tokens.authenticate(token);
  if (!principal) {
    throw new ProblemError({
      code: "TOKEN_NOT_VALID",
      detail: "The API token is unknown, expired or revoked. Ask for a new one where this service is run.",
      headers: { "www-authenticate": `${challenge}, error="invalid_token"` },
    });
  }
  if (!hasScope(principal, scope)) {
    throw new ProblemError({
      code: "SCOPE_MISSING",
      detail: `This needs a token with the scope ${scope}; the one sent has ${principal.scopes.join(", ") || "none"}.`,
      headers: { "www-authenticate": `${challenge}, error="insufficient_scope", scope="${scope}"` },
    });
  }
  return principal;
}

export function hasScope({ scopes }: Principal, scope: TokenScope): boolean {
  return scopes.includes(scope) || scopes.includes("admin");
}

/** Whether a token may know of an owner's repositories. */
export function reaches({ organisation }: Principal, owner: string): boolean {
  return organisation === null || organisation.toLowerCase() === owner.toLowerCase();
}
