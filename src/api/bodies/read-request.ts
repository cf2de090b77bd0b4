import * as z from "zod";
import type { ForkClaim } from "../../service/queues/fork-runs.ts";
import { type OnBehalf, onBehalf } from "../access/on-behalf.ts";
import { type EndpointName, endpoints } from "../endpoints.ts";
import { branchName, byNumber, headSha, pullRequestNumber, repository } from "../schema/addresses.ts";
import { type ParsedBody, parseBody, parseJson } from "./parse-json.ts";

/** The parts of a body that its endpoint needs. */
export interface ReadRequest {
  readonly parsed: ParsedBody<unknown>;
  readonly subject: AuditSubject;
  /** The facts that a fork's run has to prove; null for an endpoint that accepts no forks' runs. */
  readonly claim: ParsedBody<ForkClaim> | null;
}

/** @throws ProblemError 400 when it is not JSON, or too complex. */
export function readRequest(name: EndpointName, body: Buffer): ReadRequest {
  return readValue(name, parseRequest(name, body));
}

/** Returns the value of a JSON body. @throws ProblemError 400 when it is not JSON, or too complex. */
export function parseRequest(name: EndpointName, body: Buffer): unknown {
  const { parse }: { parse?: (body: Buffer) => unknown } = endpoints[name];
  return parse?.(body) ?? parseJson(body);
}

/** Reads the value of a JSON body; undefined = there is no body. */
export function readValue(name: EndpointName, value: unknown): ReadRequest {
  return {
    parsed: parseBody(endpoints[name].body, value),
    subject: readAuditSubject(value),
    claim: isForkEndpoint(name) ? parseBody(forkClaims[name], value) : null,
  };
}

const subject = z.object({
  // If `repo` has an unknown field, the body is refused, but the audit log still names the repository.
  repo: repository.strip().nullable().catch(null),
  targetBranch: branchName.nullable().catch(null),
  pr: z.object({ number: pullRequestNumber.nullable().catch(null) }).catch({ number: null }),
  reason: z.string().nullable().catch(null),
});
const behalf = z.object(onBehalf);

/** The subject of a request, and the person on whose behalf it is sent, if its body names them. */
export interface AuditSubject {
  readonly repo: z.output<typeof subject>["repo"];
  readonly branch: string | null;
  readonly pr: number | null;
  /** Why it is sent, in the words of its sender. */
  readonly reason: string | null;
  readonly behalf: OnBehalf;
}

/** Reads any body, valid or not. Never throws. */
export function readAuditSubject(body: unknown): AuditSubject {
  const about = subject.safeParse(body).data;
  return {
    repo: about?.repo ?? null,
    branch: about?.targetBranch ?? null,
    pr: about?.pr.number ?? null,
    reason: about?.reason || null,
    behalf: behalf.safeParse(body).data ?? {},
  };
}

/** The subject of a body that was never read. */
export const unreadSubject: AuditSubject = readAuditSubject(undefined);

/** Sent by clients that know only one code host. */
const assumedHost = "github.com";

interface Repository {
  readonly host: string;
}

/** Replaces the host github.com by the served one. Only one host is served, so clients that send github.com mean that one. */
export function onServedHost<Repo extends Repository>(repo: Repo, served: string): Repo {
  return repo.host.toLowerCase() === assumedHost ? { ...repo, host: served } : repo;
}

export function claimOnServedHost(claim: ForkClaim, served: string): ForkClaim {
  return { ...claim, repo: onServedHost(claim.repo, served) };
}

export function requestOnServedHost({ parsed, subject, claim }: ReadRequest, served: string): ReadRequest {
  return {
    parsed: parsed.ok ? { ok: true, body: bodyOnServedHost(parsed.body, served) } : parsed,
    subject: { ...subject, repo: subject.repo && onServedHost(subject.repo, served) },
    claim: claim?.ok ? { ok: true, body: claimOnServedHost(claim.body, served) } : claim,
  };
}

function bodyOnServedHost(body: unknown, served: string): unknown {
  const { repo } = body as { readonly repo?: Repository };
  return repo ? { ...(body as object), repo: onServedHost(repo, served) } : body;
}

// Unknown fields are ignored here and refused by the endpoint: a sender must prove its run before it gets details about fields.
const claimedRepository = repository.strip();
const claimedPullRequest = byNumber.strip();

/** Extracts from a body the facts that a fork's run has to prove, by endpoint. */
export const forkClaims = {
  setImpactedTargets: z
    .object({
      repo: claimedRepository,
      targetBranch: branchName,
      pr: claimedPullRequest.extend({ sha: headSha }),
    })
    .transform(
      ({ repo, targetBranch: branch, pr }): ForkClaim => ({ repo, branch, pr: pr.number, headSha: pr.sha }),
    ),
  uploadTestResults: z
    .object({
      repo: claimedRepository,
      kind: z.enum(["pr", "unknown"], {
        error: "must be pr, or unknown: a fork's run speaks for nothing else",
      }),
      pr: claimedPullRequest,
      head_sha: headSha,
    })
    .transform(
      ({ repo, pr, head_sha }): ForkClaim => ({ repo, branch: null, pr: pr.number, headSha: head_sha }),
    ),
} as const;

export type ForkEndpoint = keyof typeof forkClaims;

export function isForkEndpoint(name: string): name is ForkEndpoint {
  return Object.hasOwn(forkClaims, name);
}
