import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { isSameName } from "../../engine/model/names.ts";
import type { VerifiedToken, WorkflowIdentity } from "../../ports/code-host/app.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";

export interface WorkflowTokenOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly keysUrl: string;
  readonly clock: Clock;
  /** After a reading of the keys, unknown keys are not looked up again for this long. Default: 30 s. */
  readonly cooldownMs?: number;
}

/** The algorithm of GitHub's signatures. Naming it refuses `none`, and the use of a public key as a shared secret. */
const algorithms = ["RS256"];
/** The accepted difference between clocks. A token is valid for minutes. */
const toleranceSeconds = 30;
const keysTimeoutMs = 5_000;

/** The issuer's keys could not be read. */
class KeysUnavailable extends Error {}

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

/**
 * Returns a function that verifies the OpenID Connect tokens that GitHub issues to workflows. The keys are cached for ten minutes, and
 * read again when a token names an unknown one. Source: GitHub, "OpenID Connect reference".
 */
export function workflowTokenVerifier({
  issuer,
  audience,
  keysUrl,
  clock,
  cooldownMs = 30_000,
}: WorkflowTokenOptions): (token: string) => Promise<VerifiedToken> {
  const options = { timeoutDuration: keysTimeoutMs, cooldownDuration: cooldownMs };
  const keys = createRemoteJWKSet(new URL(keysUrl), options);
  return async (token) => {
    try {
      // Checked before the signature, so that tokens of other issuers do not make us request keys.
      if (decodeJwt(token).iss !== issuer) return invalid(`its issuer is not ${issuer}`);
      const { payload } = await jwtVerify(token, (header, jws) => findKey(keys, header, jws), {
        algorithms,
        issuer,
        audience,
        clockTolerance: toleranceSeconds,
        currentDate: new Date(clock.now()),
        requiredClaims: ["exp", "sub", "repository", "sha", "ref"],
      });
      const identity = identityOf(payload);
      return identity ? { kind: "valid", identity } : invalid("its claims are not those of GitHub Actions");
    } catch (error) {
      if (error instanceof KeysUnavailable) return { kind: "unavailable", why: error.message };
      if (error instanceof errors.JOSEError) return invalid(whyNot(error, audience));
      throw error;
    }
  };
}

async function findKey(keys: RemoteKeys, ...asked: Parameters<RemoteKeys>) {
  try {
    return await keys(...asked);
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
      throw error;
    throw new KeysUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function invalid(why: string): VerifiedToken {
  return { kind: "invalid", why };
}

function whyNot(error: InstanceType<typeof errors.JOSEError>, audience: string): string {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "nbf") return "it is not valid yet";
    if (error.claim === "aud") return `its audience is not ${audience}`;
    return `its claim ${error.claim} is missing or wrong`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return `it is not signed with ${algorithms.join(" or ")}`;
  if (
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  )
    return "none of the issuer's keys has signed it";
  return "it is not a signed JSON Web Token";
}

const fullName = /^([\w.-]+)\/([\w.-]+)$/;

function identityOf({ sub, repository, repository_owner, sha, ref, workflow }: JWTPayload) {
  const [, owner, name] = fullName.exec(typeof repository === "string" ? repository : "") ?? [];
  const isConsistent =
    repository_owner === undefined ||
    (typeof repository_owner === "string" && isSameName(repository_owner, owner));
  if (!owner || !name || !isConsistent || !sub || typeof sha !== "string" || typeof ref !== "string")
    return null;
  const title = typeof workflow === "string" && workflow !== "" ? workflow : sub;
  const identity: WorkflowIdentity = { subject: sub, workflow: title, repository: { owner, name }, sha, ref };
  return identity;
}
