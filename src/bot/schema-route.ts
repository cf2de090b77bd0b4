import type { FastifyPluginAsync } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { repositoryFileJsonSchema, schemaFileName } from "../command/repository-file-schema.ts";

const route: FastifyPluginAsync = async (app) => {
  const schema = JSON.stringify(repositoryFileJsonSchema(), null, 2);
  app.get(`/${schemaFileName}`, (_request, reply) =>
    reply.type("application/schema+json").header("access-control-allow-origin", "*").send(schema),
  );
};

/** The JSON Schema of `.github/trainyard.yml`, for editors: anybody may read it, from any page. */
export const schemaRoute = fastifyPlugin(route, { name: "schema", encapsulate: true });
