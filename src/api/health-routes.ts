import type { FastifyPluginAsync } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { sendProblem } from "./send-problem.ts";

export interface HealthParts {
  /** Resolves when the database answers. */
  readonly ready: () => Promise<void>;
  readonly now: () => number;
}

const routes: FastifyPluginAsync<HealthParts> = async (app, { ready, now }) => {
  app.get("/healthz", async () => ({ status: "ok", time: new Date(now()).toISOString() }));
  app.get("/readyz", async (request, reply) => {
    try {
      await ready();
      return { status: "ready" };
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

/** `/healthz`: the process is alive. `/readyz`: it can serve. */
export const healthRoutes = fastifyPlugin(routes, { name: "health", encapsulate: true });
