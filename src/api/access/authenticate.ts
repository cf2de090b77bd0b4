import type { IncomingHttpHeaders } from "node:http";
import type { FastifyRequest } from "fastify";
import { nameKey } from "../../engine/model/names.ts";
import { asClause } from "../../engine/reasons/sentence.ts";
import type { VerifiedToken } from "../../ports/code-host/app.ts";
import { type CommandLineSignIns, isCommandLineSecret } from "../../service/access/command-line-sign-ins.ts";
import type { Principal, TokenAuthenticator } from "../../service/access/tokens.ts";
import { workflowPrincipal } from "../../service/access/tokens.ts";
import type { Person } from "../../store/access/session-store.ts";
import type { TokenScope } from "../../store/access/token-store.ts";
import { type Problem, ProblemError } from "../problems/problem.ts";
import type { RequestAudit } from "./audit.ts";

type VerifyWorkflowToken = (token: string) => Promise<VerifiedToken>;

/** The services that verify credentials. */
export interface Authorities {
  readonly tokens: TokenAuthenticator;
  readonly commandLineSignIns: Pick<CommandLineSignIns, "identify">;
  /** Null = workflow tokens are not accepted. */
  readonly verifyWorkflowToken: VerifyWorkflowToken | null;
}

/** The credentials that an endpoint requires of its caller. */
export interface Requirement {
  /** The scope that an API token needs. */
  readonly scope: TokenScope;
  /** Credentials that are accepted instead of an API token. */
  readonly accepts?: readonly ("workflow" | "fork_run" | "person")[];
}

export type Authentication =
  | { readonly ok: true; readonly principal: Principal }
  | {
      readonly ok: false;
      readonly problem: Problem;
      /** The caller and the code of the refusal; null if the caller is unknown. */
      readonly by: { readonly principal: Principal; readonly code: string } | null;
    };

const challenge = 'ApiToken realm="trainyard"';
const bearerChallenge = 'Bearer realm="trainyard"';

/**
 * Identifies the sender of a request by its headers alone, so that no body of an unknown sender is read. A fork's run is not
 * verified here: the body must first name the pull request that the run is for. Nor are the rights of a person read here: the body must
 * first name the repository.
 */
export async function authenticate(
  authorities: Authorities,
  required: Requirement,
  { headers }: FastifyRequest,
): Promise<Authentication> {
  const credential = credentialOf(headers);
  switch (credential.kind) {
    case "token":
      return isCommandLineSecret(credential.token)
        ? admitSignedIn(authorities.commandLineSignIns, required, credential.token)
        : admitToken(authorities.tokens, required, credential.token);
    case "workflow":
      return admitWorkflow(authorities.verifyWorkflowToken, required, credential.jwt);
    case "fork_run":
      if (!required.accepts?.includes("fork_run")) return missing(required);
      return { ok: true, principal: forkRunPrincipal(credential.runId) };
    case "none":
      return missing(required);
  }
}

async function admitToken(
  tokens: TokenAuthenticator,
  { scope }: Requirement,
  token: string,
): Promise<Authentication> {
  const known = await tokens.identify(token);
  if (known?.state !== "valid") {
    const problem: Problem = {
      code: "TOKEN_NOT_VALID",
      detail: "The API token is unknown, expired or revoked. Ask the operator of this service for a new one.",
      headers: { "www-authenticate": `${challenge}, error="invalid_token"` },
    };
    const by = known && { principal: known.principal, code: `TOKEN_${known.state.toUpperCase()}` };
    return { ok: false, problem, by };
  }
  const { principal } = known;
  if (hasScope(principal, scope)) return { ok: true, principal };
  const problem: Problem = {
    code: "SCOPE_MISSING",
    detail: `This needs a token with the scope ${scope}; the one sent has ${principal.scopes.join(", ") || "none"}.`,
    headers: { "www-authenticate": `${challenge}, error="insufficient_scope", scope="${scope}"` },
  };
  return { ok: false, problem, by: { principal, code: problem.code } };
}

async function admitSignedIn(
  signIns: Authorities["commandLineSignIns"],
  { scope, accepts }: Requirement,
  secret: string,
): Promise<Authentication> {
  const person = await signIns.identify(secret);
  if (person === null)
    return refuse({
      code: "TOKEN_NOT_VALID",
      detail: "The sign-in of this command line is unknown or has ended. Run `trainyard login`.",
      headers: { "www-authenticate": `${challenge}, error="invalid_token"` },
    });
  if (accepts?.includes("person")) return { ok: true, principal: personPrincipal(person) };
  return refuse({
    code: "API_TOKEN_NEEDED",
    detail: `People who signed in with trainyard login cannot do this. Send an API token with the scope ${scope} in the header ${tokenHeader}; the command line takes it from TRAINYARD_TOKEN.`,
    headers: { "www-authenticate": challenge },
  });
}

async function admitWorkflow(
  verify: VerifyWorkflowToken | null,
  { scope, accepts }: Requirement,
  jwt: string,
): Promise<Authentication> {
  if (!accepts?.includes("workflow") || !verify) {
    const where = verify ? "here" : "by this service";
    return refuse({
      code: "API_TOKEN_NEEDED",
      detail: `The token of a workflow is not accepted ${where}. Send an API token with the scope ${scope} in the header ${tokenHeader}.`,
      headers: { "www-authenticate": challenge },
    });
  }
  const verified = await verify(jwt);
  switch (verified.kind) {
    case "valid":
      return { ok: true, principal: workflowPrincipal(verified.identity) };
    case "invalid":
      return refuse({
        code: "WORKFLOW_TOKEN_NOT_VALID",
        detail: `The workflow's token is not accepted: ${asClause(verified.why)}. Request a new one for this service.`,
        headers: { "www-authenticate": `${bearerChallenge}, error="invalid_token"` },
      });
    case "unavailable":
      return refuse({
        code: "ISSUER_UNAVAILABLE",
        detail: `The keys of the workflow tokens' issuer cannot be read: ${asClause(verified.why)}. Nothing was changed; try again.`,
        headers: { "retry-after": "10" },
      });
  }
}

/** Refuses a request of an unknown caller. Without a valid token, there is nobody to name in the audit log. */
function refuse(problem: Problem): Authentication {
  return { ok: false, problem, by: null };
}

function missing({ accepts }: Requirement): Authentication {
  const or = accepts?.includes("workflow") ? ", or a workflow's OpenID Connect token as a bearer token" : "";
  const login = accepts?.includes("person") ? " At a command line, run `trainyard login` instead." : "";
  return refuse({
    code: "TOKEN_MISSING",
    detail: `Send an API token in the header ${tokenHeader}${or}.${login}`,
    headers: { "www-authenticate": challenge },
  });
}

function hasScope({ scopes }: Principal, scope: TokenScope): boolean {
  return scopes.includes(scope) || scopes.includes("admin");
}

/** It can access nothing, until a request has shown more about its sender. */
const noAccess = { organisation: "", repository: null, scopes: [], mayActForOthers: false, checkout: null };

/** The principal of a run that is named but not verified. */
export function forkRunPrincipal(runId: string): Principal {
  return { kind: "fork_run", id: runId, name: "fork", ...noAccess };
}

/** The principal of a person whose role was not read yet. */
function personPrincipal({ id, login }: Person): Principal {
  return { kind: "person", id: String(id), name: login, ...noAccess };
}

/** Whether a principal may access a repository. */
export function reaches(
  { organisation, repository }: Principal,
  { owner, name }: { readonly owner: string; readonly name: string },
): boolean {
  if (organisation !== null && organisation !== nameKey(owner)) return false;
  return repository === null || repository === nameKey(`${owner}/${name}`);
}

export const tokenHeader = "x-api-token";
export const forkedRunHeader = "x-forked-workflow-run-id";

/** The credential that a request presents. */
export type Credential =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "workflow"; readonly jwt: string }
  | { readonly kind: "fork_run"; readonly runId: string };

/**
 * Returns the credential that decides. A non-empty `x-api-token` comes first, then a bearer token, then a fork's run. If it
 * is not valid, the others are not tried.
 */
export function credentialOf(headers: IncomingHttpHeaders): Credential {
  const token = String(headers[tokenHeader] ?? "").trim();
  if (token !== "") return { kind: "token", token };
  const [, bearer] = /^Bearer +(\S.*)$/i.exec(headers.authorization?.trim() ?? "") ?? [];
  if (bearer !== undefined) return bearerCredential(bearer);
  const runId = String(headers[forkedRunHeader] ?? "").trim();
  return runId === "" ? { kind: "none" } : { kind: "fork_run", runId };
}

/**
 * Clients that can set no other header send an API token as a bearer token: Prometheus before 2.55, for one. It has no dots,
 * which every JWT has.
 */
function bearerCredential(bearer: string): Credential {
  return bearer.includes(".") ? { kind: "workflow", jwt: bearer } : { kind: "token", token: bearer };
}

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
