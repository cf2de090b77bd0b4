import type { ForkClaim } from "../../service/queues/fork-runs.ts";
import type { ReadRequest } from "../bodies/read-request.ts";

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

/** Returns the request with its repository on the served host. */
export function requestOnServedHost({ parsed, said, claim }: ReadRequest, served: string): ReadRequest {
  return {
    parsed: parsed.ok ? { ok: true, body: bodyOnServedHost(parsed.body, served) } : parsed,
    said: { ...said, repo: said.repo && onServedHost(said.repo, served) },
    claim: claim?.ok ? { ok: true, body: claimOnServedHost(claim.body, served) } : claim,
  };
}

function bodyOnServedHost(body: unknown, served: string): unknown {
  const { repo } = body as { readonly repo?: Repository };
  return repo ? { ...(body as object), repo: onServedHost(repo, served) } : body;
}
