import type { FastifyPluginAsync, FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { AppFault } from "../ports/code-host/app.ts";
import type { StorageFault } from "../ports/storage-fault.ts";
import type { Service } from "../service/create-service.ts";
import type { IdempotencyStore } from "../store/leased/idempotency-store.ts";
import type { Authorities } from "./access/authenticate.ts";
import type { ParsingThread } from "./bodies/parsing-thread.ts";
import { openApiDocument } from "./openapi/document.ts";
import { sendProblem, storageProblem } from "./problems/handle-error.ts";
import { serveEndpoints } from "./serve-endpoints.ts";

export interface ApiServices
  extends Readiness,
    Authorities,
    Pick<
      Service,
      | "queues"
      | "audit"
      | "roles"
      | "forkRuns"
      | "metrics"
      | "organisationMetrics"
      | "commandTimes"
      | "requestCounts"
      | "tests"
      | "knownTests"
      | "testedCommits"
      | "bundles"
      | "quarantines"
      | "testRepositories"
      | "testSettings"
      | "webhooks"
      | "doctor"
    > {
  readonly idempotency: IdempotencyStore;
  /** The code host of all served repositories. */
  readonly servedHost: string;
  readonly commandPrefix: string;
  readonly parsing: ParsingThread;
  /** The service's public address; null = the address that each request was sent to. */
  readonly publicUrl: string | null;
  /** Maximum number of requests per second of one organisation; null = unlimited. */
  readonly requestsPerSecond: number | null;
  /** Minimum duration of refusing a fork's run, so that its timing does not reveal whether the code host was asked. */
  readonly refuseAfterMs: number;
}

/** The HTTP API below `/v1`, and the probes `/healthz` and `/readyz`, and `/openapi.json`. */
export function apiPlugin(services: ApiServices): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    await app.register(healthRoutes, services);
    await app.register(openApiRoute);
    await app.register(fastifyPlugin(serveEndpoints, { name: "v1", encapsulate: true }), {
      ...services,
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

/** `/openapi.json` is public, because it contains nothing about queues. */
const openApiRoute = fastifyPlugin(route, { name: "openapi", encapsulate: true });

export interface Readiness {
  /** Why the database cannot be used; null when a write has just succeeded. */
  readonly ready: () => Promise<StorageFault | null>;
  /** Why the App cannot merge; null when no reason is known. */
  readonly appFault: () => Promise<AppFault | null>;
  readonly now: () => number;
}

const routes: FastifyPluginAsync<Readiness> = async (app, { ready, appFault, now }) => {
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
 * `/healthz`: the process runs. `/readyz`: the service can work. It cannot when nothing can be stored, when the database is damaged, or
 * when the App cannot merge.
 */
export const healthRoutes = fastifyPlugin(routes, { name: "health", encapsulate: true });
