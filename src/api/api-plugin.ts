import type { FastifyPluginAsync, FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Quarantines } from "../flaky/service/quarantines.ts";
import type { TestReader } from "../flaky/service/test-reader.ts";
import type { RepositoryTestSettings, TestRepositories } from "../flaky/service/test-repositories.ts";
import type { Bundles } from "../flaky/service/uploads/bundles.ts";
import type { AppFault } from "../ports/code-host/app.ts";
import type { StorageFault } from "../ports/storage-fault.ts";
import type { AuditTrail } from "../service/access/audit-trail.ts";
import type { CommandTimes } from "../service/metrics/command-times.ts";
import type { OrganisationMetrics } from "../service/metrics/organisation-metrics.ts";
import type { QueueMetrics } from "../service/metrics/queue-metrics.ts";
import type { QueueService } from "../service/queues/queue-service.ts";
import type { TestedCommits } from "../service/queues/tested-commits.ts";
import type { Webhooks } from "../service/webhooks/webhooks.ts";
import type { IdempotencyStore } from "../store/leased/idempotency-store.ts";
import type { Authorities } from "./access/authenticate.ts";
import type { ForkUploadParts } from "./access/fork-uploads.ts";
import type { CountRequest } from "./access/rate-limit.ts";
import type { ParsingThread } from "./bodies/parsing-thread.ts";
import type { Call } from "./endpoint.ts";
import { openApiDocument } from "./openapi/document.ts";
import { sendProblem, storageProblem } from "./problems/handle-error.ts";
import { serveEndpoints } from "./serve-endpoints.ts";

export interface ApiParts extends HealthParts, Authorities {
  readonly queues: QueueService;
  readonly audit: Pick<AuditTrail, "record" | "execute" | "list">;
  readonly forkUploads: Omit<ForkUploadParts, "servedHost">;
  readonly idempotency: IdempotencyStore;
  readonly metrics: QueueMetrics;
  readonly organisationMetrics: OrganisationMetrics;
  readonly commandTimes: CommandTimes;
  readonly tests: Call["tests"];
  readonly bundles: Bundles;
  readonly quarantines: Quarantines;
  /** The code host of all served repositories. */
  readonly servedHost: string;
  readonly testRepositories: Pick<TestRepositories, "check">;
  readonly testSettings: RepositoryTestSettings;
  /** The thread that parses large bodies. */
  readonly parsing: ParsingThread;
  /** The service's public address; null = the address that each request was sent to. */
  readonly publicUrl: string | null;
  readonly webhooks: Webhooks;
  readonly doctor: Call["doctor"];
  readonly knownTests: TestReader;
  readonly testedCommits: Pick<TestedCommits, "prove">;
  /** Maximum number of requests per second of one organisation; null = unlimited. */
  readonly requestsPerSecond: number | null;
  readonly countRequest: CountRequest;
}

/** The HTTP API below `/v1`, and the probes `/healthz` and `/readyz`, and `/openapi.json`. */
export function apiPlugin(parts: ApiParts): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    await app.register(healthRoutes, parts);
    await app.register(openApiRoute);
    await app.register(fastifyPlugin(serveEndpoints, { name: "v1", encapsulate: true }), {
      ...parts,
      prefix: "/v1",
    });
  };
  return fastifyPlugin(plugin, { name: "api", encapsulate: true });
}

const route: FastifyPluginAsync = async (app) => {
  let text: string | undefined;
  app.get("/openapi.json", async (_request, reply) => {
    text ??= JSON.stringify(openApiDocument());
    return reply.type("application/json; charset=utf-8").header("cache-control", "max-age=300").send(text);
  });
};

/** `/openapi.json` is public: it says nothing about anybody's queues. */
const openApiRoute = fastifyPlugin(route, { name: "openapi", encapsulate: true });

export interface HealthParts {
  /** Returns why the database cannot be used; null when a write has just succeeded. */
  readonly ready: () => Promise<StorageFault | null>;
  /** Returns why the App cannot merge; null when nothing is known to prevent it. */
  readonly appFault: () => Promise<AppFault | null>;
  readonly now: () => number;
}

const routes: FastifyPluginAsync<HealthParts> = async (app, { ready, appFault, now }) => {
  app.get("/healthz", async () => ({ status: "ok", time: new Date(now()).toISOString() }));
  app.get("/readyz", async (request, reply) => {
    try {
      const fault = await ready();
      if (fault === null) return await answerFor(reply, await appFault());
      request.log.error({ err: fault.cause, code: fault.code }, "the database cannot be used");
      return sendProblem(reply, storageProblem(fault));
    } catch (error) {
      request.log.error({ err: error }, "the database does not answer");
      return sendProblem(reply, {
        code: "NOT_READY",
        detail: "The database does not answer. The log says why.",
        headers: { "retry-after": "1" },
      });
    }
  });
};

async function answerFor(reply: FastifyReply, fault: AppFault | null) {
  if (fault === null) return { status: "ready" };
  const { code, problem: detail } = fault;
  return sendProblem(reply, { code, detail, headers: { "retry-after": "1" } });
}

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve. It cannot when nothing can be stored, when the database is damaged, or
 * when the App cannot merge.
 */
export const healthRoutes = fastifyPlugin(routes, { name: "health", encapsulate: true });
