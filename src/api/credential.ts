import type { IncomingHttpHeaders } from "node:http";

export const tokenHeader = "x-api-token";
export const forkedRunHeader = "x-forked-workflow-run-id";

/** What a request shows of who sends it. */
export type Credential =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "workflow"; readonly jwt: string }
  | { readonly kind: "fork_run"; readonly runId: string };

/**
 * The one that counts: an `x-api-token` that is not empty always decides, then a bearer token, then a fork's run. What decides
 * and is no good is not made up for by another.
 */
export function credentialOf(headers: IncomingHttpHeaders): Credential {
  const token = String(headers[tokenHeader] ?? "").trim();
  if (token !== "") return { kind: "token", token };
  const [, bearer] = /^Bearer +(\S.*)$/i.exec(headers.authorization?.trim() ?? "") ?? [];
  if (bearer !== undefined) return bearerCredential(bearer);
  const runId = String(headers[forkedRunHeader] ?? "").trim();
  return runId === "" ? { kind: "none" } : { kind: "fork_run", runId };
}

/** An API token is sent so where nothing else can be: Prometheus before 2.55, for one. It has no dots, as every JWT has. */
function bearerCredential(bearer: string): Credential {
  return bearer.includes(".") ? { kind: "workflow", jwt: bearer } : { kind: "token", token: bearer };
}
