import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Principal } from "../../service/access/tokens.ts";
import { bucketBounds } from "../../service/metrics/histogram.ts";
import { refused } from "../../service/runtime/outcome.ts";
import { type Requirement, reaches } from "../access/authenticate.ts";
import { metricsCounted } from "../access/rate-limit.ts";
import type { ApiServices } from "../api-plugin.ts";
import { onServedHost } from "../bodies/read-request.ts";
import { unknownQuery } from "../problems/field-errors.ts";
import { ProblemError, refusalProblem } from "../problems/problem.ts";
import { type Family, familiesOf, type Labels, type Sample } from "./families.ts";
import { organisationFamilies } from "./organisation-families.ts";

/** Same words whether or not another organisation has the repository. */
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
      return reply.type(metricsType).send(renderMetrics(families));
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

/**
 * Prometheus' text format.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function renderMetrics(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type}`,
    ...samples.flatMap((sample) => renderSample(name, sample)),
  ]);
  return `${lines.join("\n")}\n`;
}

function renderSample(name: string, sample: Sample): string[] {
  const { labels } = sample;
  if ("value" in sample) return [`${name}${renderLabels(labels)} ${sample.value}`];
  const { bounds = bucketBounds, histogram } = sample;
  const { counts, sum } = histogram;
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const le = String(bounds[index] ?? "+Inf");
    return `${name}_bucket${renderLabels({ ...labels, le })} ${total}`;
  });
  return [
    ...buckets,
    `${name}_sum${renderLabels(labels)} ${sum}`,
    `${name}_count${renderLabels(labels)} ${total}`,
  ];
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return `{${pairs.join(",")}}`;
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
