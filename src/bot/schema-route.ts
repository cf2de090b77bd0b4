import type { FastifyPluginAsync } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { repositoryFileJsonSchema, schemaFileName } from "../command/repository-file-schema.ts";

const route: FastifyPluginAsync = async (app) => {
  const schema = JSON.stringify(repositoryFileJsonSchema(), null, 2);
  app.get(`/${schemaFileName}`, (_request, reply) =>
    reply.type("application/schema+json").header("access-control-allow-origin", "*").send(schema),
  );
};

/** Serves the JSON Schema of `.github/trainyard.yml` to editors. It is public, for pages of any origin. */
export const schemaRoute = fastifyPlugin(route, { name: "schema", encapsulate: true });
