import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";
import type { QueueMetrics } from "../service/metrics/queue-metrics.ts";
import type { QueueService } from "../service/queue-service.ts";
import type { Principal, TokenService } from "../service/token-service.ts";
import { authenticate } from "./authenticate.ts";
import { decodeBody } from "./decode-body.ts";
import { endpoints } from "./endpoints.ts";
import { handleError } from "./handle-error.ts";
import { type HealthParts, healthRoutes } from "./health-routes.ts";
import { decorateDigest, serveOnce } from "./idempotency.ts";
import { acceptJson } from "./json-body.ts";
import { serveMetrics } from "./metrics/metrics-route.ts";
import { openApiRoute } from "./openapi/openapi-route.ts";
import { ProblemError } from "./problem.ts";
import { counted, countRequests } from "./rate-limit.ts";
import { sendProblem } from "./send-problem.ts";

export interface ApiParts extends HealthParts {
  readonly queues: QueueService;
  readonly tokens: Pick<TokenService, "authenticate">;
  readonly idempotency: IdempotencyStore;
  readonly metrics: QueueMetrics;
  /** How many requests an organisation may send; null = as many as it likes. */
  readonly requestsPerSecond: number | null;
}

/** The HTTP API below `/v1`, and the probes `/healthz` and `/readyz`, and `/openapi.json`. */
export function apiPlugin(parts: ApiParts): FastifyPluginAsync {
  return async (app) => {
    await app.register(healthRoutes, parts);
    await app.register(openApiRoute);
    await app.register(async (v1) => serveEndpoints(v1, parts), { prefix: "/v1" });
  };
}

const maxBodyBytes = 20 * 1024 * 1024;

async function serveEndpoints(
  app: FastifyInstance,
  { queues, tokens, idempotency, metrics, requestsPerSecond, now }: ApiParts,
): Promise<void> {
  acceptJson(app, maxBodyBytes);
  await countRequests(app, requestsPerSecond);
  app.setErrorHandler((error, request, reply) => handleError(namingTheWayOut(error), request, reply));
  app.decorateRequest("principal");
  decorateDigest(app);
  serveMetrics(app, tokens, metrics);
  for (const [name, endpoint] of Object.entries(endpoints)) {
    app.post(`/${name}`, {
      ...counted,
      bodyLimit: maxBodyBytes,
      onRequest: async (request) => {
        request.setDecorator("principal", await authenticate(tokens, endpoint.scope, request));
      },
      preParsing: async (request, _reply, payload) => decodeBody(request, payload, maxBodyBytes),
      handler: async (request, reply) => {
        const principal = request.getDecorator<Principal>("principal");
        const serve = () => endpoint.serve(request.body, { queues, principal });
        const served = await (endpoint.scope === "read"
          ? serve()
          : serveOnce(idempotency, now, request, name, serve));
        return served.ok ? served.answer : sendProblem(reply, served.problem);
      },
    });
  }
}

/** Only lists of impacted targets grow so large. */
function namingTheWayOut(error: unknown): unknown {
  const code =
    error instanceof ProblemError ? error.problem.code : (error as { code?: unknown } | null)?.code;
  const tooLarge = code === "FST_ERR_CTP_BODY_TOO_LARGE" || code === "BODY_TOO_LARGE";
  if (!tooLarge) return error;
  return new ProblemError({
    code: "BODY_TOO_LARGE",
    detail: `The body is larger than 20 MiB (${maxBodyBytes} bytes). Where that is for a long list of impacted targets, send impactedTargets: "ALL" instead.`,
  });
}
