import type { IncomingHttpHeaders } from "node:http";

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
