import type { FastifyPluginAsync, FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { AppFault } from "../ports/code-host/app.ts";
import type { StorageFault } from "../ports/storage-fault.ts";
import { sendProblem } from "./problems/send-problem.ts";
import { storageProblem } from "./problems/storage-problem.ts";

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
