import { setTimeout } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type * as z from "zod";
import { nameKey } from "../../engine/model/names.ts";
import type { Principal } from "../../service/access/tokens.ts";
import type { ForkClaim } from "../../service/queues/fork-runs.ts";
import { isCodeHostFailure } from "../../service/workers/retry.ts";
import type { ApiServices } from "../api-plugin.ts";
import type { ParsedBody } from "../bodies/parse-json.ts";
import { claimOnServedHost, type ForkEndpoint, forkClaims } from "../bodies/read-request.ts";
import { parseBeforeTargets } from "../bodies/read-targets.ts";
import { type Problem, ProblemError } from "../problems/problem.ts";
import { forkedRunHeader, forkRunPrincipal } from "./authenticate.ts";

type ForkServices = Pick<ApiServices, "forkRuns" | "refuseAfterMs" | "servedHost">;

export type Admission =
  | { readonly ok: true; readonly principal: Principal }
  | { readonly ok: false; readonly problem: Problem };

const windowMs = 60_000;
const perAddress = 30;
/** Each upload may cost two of the five thousand calls an hour that GitHub grants an installation. */
const perRepository = 20;

/** Lets workflow runs of forks upload without a token. The rate limits are low enough to ask the code host about each run. */
export function forkUploads(app: FastifyInstance, { forkRuns, refuseAfterMs, servedHost }: ForkServices) {
  app.decorateRequest("claimedRepository", "");
  app.decorateRequest("proven", null);
  const limit = { timeWindow: windowMs, allowList: () => false };
  const ofAddress = app.createRateLimit({
    ...limit,
    max: perAddress,
    keyGenerator: ({ ip }) => network(ip),
  });
  const ofRepository = app.createRateLimit({
    ...limit,
    max: perRepository,
    keyGenerator: (request) => request.getDecorator<string>("claimedRepository"),
  });

  async function countBy(limiter: typeof ofAddress, request: FastifyRequest): Promise<void> {
    const counted = await limiter(request);
    if (counted.isAllowed || !counted.isExceeded) return;
    throw new ProblemError({
      code: "RATE_LIMITED",
      detail:
        "Too many uploads without a token. Wait as long as retry-after says, then send this one again, or send an API token.",
      headers: { "retry-after": String(Math.max(1, counted.ttlInSeconds)) },
    });
  }

  async function judge(
    request: FastifyRequest,
    { id }: Principal,
    claimed: ForkClaim,
    note: (code: string) => Promise<void>,
  ): Promise<Admission> {
    const { repo } = claimed;
    request.setDecorator("claimedRepository", nameKey(`${repo.host}/${repo.owner}/${repo.name}`));
    await countBy(ofRepository, request);
    const runId = /^\d{1,15}$/.test(id) ? Number(id) : null;
    const refusalTime = setTimeout(refuseAfterMs, null, { ref: false });
    const verdict = await forkRuns.judge({ ...claimed, runId }).catch((error: unknown) => {
      if (!isCodeHostFailure(error)) throw error;
      request.log.warn({ err: error }, "could not ask the code host about a fork's run");
      // Most likely the installation has not accepted the permission `actions: read`.
      return error.kind === "denied" ? ("CODE_HOST_DENIED" as const) : ("CODE_HOST_UNAVAILABLE" as const);
    });
    if (verdict === "ACCEPTED") return { ok: true, principal: provenRun(id, repo) };
    if (verdict !== "QUEUE_NOT_FOUND") await note(verdict);
    await refusalTime;
    return { ok: false, problem: refusal };
  }

  return {
    /** Call it before the body is read. @throws ProblemError 429 */
    countAddress: (request: FastifyRequest) => countBy(ofAddress, request),

    /**
     * Verifies a run by the beginning of a body that is too large for an unverified run. If there is a queue whose owner may know,
     * `note` receives the code of a refusal.
     *
     * @throws ProblemError when the rest must not be read
     */
    async prove(
      request: FastifyRequest,
      endpoint: ForkEndpoint,
      principal: Principal,
      beginning: Buffer,
      note: (code: string) => Promise<void>,
    ): Promise<void> {
      if (endpoint !== "setImpactedTargets") throw new ProblemError(tooManyResults);
      const parsed = claimOf(endpoint).safeParse(parseBeforeTargets(beginning));
      if (!parsed.success) throw new ProblemError(unprovable);
      const claim = claimOnServedHost(parsed.data, servedHost);
      const admission = await judge(request, principal, claim, note);
      if (!admission.ok) throw new ProblemError(admission.problem);
      request.setDecorator("proven", { claim: JSON.stringify(claim), admission });
    },

    /** Verifies a run by its whole body. @throws ProblemError 429 */
    async admit(
      request: FastifyRequest,
      parsed: ParsedBody<ForkClaim>,
      principal: Principal,
      note: (code: string) => Promise<void>,
    ): Promise<Admission> {
      if (!parsed.ok) return parsed;
      const proven = request.getDecorator<Proven | null>("proven");
      if (proven === null) return judge(request, principal, parsed.body, note);
      // A field that occurs twice can have one value at the beginning and another at the end.
      return proven.claim === JSON.stringify(parsed.body)
        ? proven.admission
        : { ok: false, problem: refusal };
    },
  };
}

interface Proven {
  readonly claim: string;
  readonly admission: Admission;
}

/** Only the target list makes a body large, so the fields that identify the run can precede it. */
const unprovable: Problem = {
  code: "FORK_BODY_TOO_LARGE",
  detail: `Without a token, a body of more than 1 MiB must contain repo, targetBranch and pr before impactedTargets, because the run is verified before the rest is read. Send them first, or send impactedTargets: "ALL" or an API token.`,
};

function claimOf(endpoint: ForkEndpoint): z.ZodType<ForkClaim> {
  return forkClaims[endpoint];
}

const tooManyResults: Problem = {
  code: "FORK_BODY_TOO_LARGE",
  detail:
    "Without a token, test results are accepted up to 1 MiB. Compress the reports (encoding gzip or zstd), or send an API token.",
};

/** Same words for every reason: anybody may send this, and must learn nothing about anybody's repositories. */
const refusal: Problem = {
  code: "FORK_RUN_NOT_ACCEPTED",
  detail: `Without a token, impacted targets and test results are accepted only for an open pull request from a fork, for the head that its workflow runs on, while the run that ${forkedRunHeader} names is in progress. Check these, or send an API token. If all of them are true, GitHub may not have answered: run the job again.`,
};

function provenRun(id: string, { owner, name }: { owner: string; name: string }): Principal {
  return {
    ...forkRunPrincipal(id),
    organisation: nameKey(owner),
    repository: nameKey(`${owner}/${name}`),
    scopes: ["submit"],
  };
}

/** An IPv6 host can send from a whole /64. */
function network(ip: string): string {
  return ip.includes(":") ? ip.split(":", 4).join(":") : ip;
}
