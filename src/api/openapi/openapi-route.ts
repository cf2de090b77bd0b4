import type { FastifyPluginAsync } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { openApiDocument } from "./document.ts";

const route: FastifyPluginAsync = async (app) => {
  let text: string | undefined;
  app.get("/openapi.json", async (_request, reply) => {
    text ??= JSON.stringify(openApiDocument());
    return reply.type("application/json; charset=utf-8").header("cache-control", "max-age=300").send(text);
  });
};

/** `/openapi.json` is public: it says nothing about anybody's queues. */
export const openApiRoute = fastifyPlugin(route, { name: "openapi", encapsulate: true });
