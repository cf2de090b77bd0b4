import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Principal } from "../../service/access/tokens.ts";
import { refused } from "../../service/runtime/outcome.ts";
import { type Requirement, reaches } from "../access/authenticate.ts";
import { metricsCounted } from "../access/rate-limit.ts";
import type { ApiServices } from "../api-plugin.ts";
import { onServedHost } from "../bodies/read-request.ts";
import { unknownQuery } from "../problems/field-errors.ts";
import { ProblemError, refusalProblem } from "../problems/problem.ts";
import { familiesOf } from "./families.ts";
import { organisationFamilies } from "./organisation-families.ts";
import { type Family, renderMetrics } from "./text-format.ts";

/** The same words, whether or not another organisation has the repository. */
const outOfReach = refused<never>({ code: "REPOSITORY_NOT_FOUND" });

/** `GET /getMergeQueueMetrics`, for Prometheus: the queues of the token's organisation, or of one repository of it. */
export function serveMetrics(
  app: FastifyInstance,
  admit: (action: string, required: Requirement) => (request: FastifyRequest) => Promise<void>,
  {
    metrics,
    organisationMetrics,
    testRepositories,
    servedHost,
  }: Pick<ApiServices, "metrics" | "organisationMetrics" | "testRepositories" | "servedHost">,
): void {
  app.get("/getMergeQueueMetrics", {
    ...metricsCounted,
    onRequest: admit("getMergeQueueMetrics", { scope: "read" }),
    handler: async (request, reply) => {
      const principal = request.getDecorator<Principal>("principal");
      const { organisation } = principal;
      const unknown = unknownQuery(request.query, ["repo", "repoHost"]);
      if (unknown) throw new ProblemError(unknown);
      const asked = requestedRepository(request.query as Record<string, unknown>);
      const repo = asked && onServedHost(asked, servedHost);
      const missing = repo && (reaches(principal, repo) ? await testRepositories.check(repo) : outOfReach);
      if (missing && !missing.ok) throw new ProblemError(refusalProblem(missing.refusal));
      const families = familiesOf(await metrics.measure(organisation, repo));
      // Metrics that belong to no repository are returned only if the request names none.
      if (organisation !== null && repo === null)
        families.push(...organisationFamilies(await organisationMetrics.measure(organisation)));
      return reply.type(metricsType).send(Readable.from(piecesOf(families), { objectMode: false }));
    },
  });
}

function requestedRepository({ repo, repoHost }: Record<string, unknown>) {
  if (repo === undefined && repoHost === undefined) return null;
  if (repo === undefined || repoHost === undefined)
    throw invalid(
      "Send repo and repoHost together, or neither of them for all repositories of the organisation.",
    );
  const [owner, name, ...rest] = String(repo).split("/");
  if (!owner || !name || rest.length > 0 || Array.isArray(repo) || Array.isArray(repoHost))
    throw invalid(
      "Send the repository once, as repo=owner/name, with repoHost=github.com or the host that has it.",
    );
  return { host: String(repoHost), owner, name };
}

function invalid(detail: string): ProblemError {
  return new ProblemError({ code: "BAD_REQUEST", detail });
}

export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

/** Other requests are served between two pieces. */
async function* piecesOf(families: readonly Family[]): AsyncGenerator<Buffer> {
  for (const piece of renderMetrics(families)) {
    yield Buffer.from(piece);
    await setImmediate();
  }
}
