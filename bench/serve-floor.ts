import { fastify } from "fastify";

export interface Submission {
  readonly pr: { readonly number: number };
}

/** Serves a bare Fastify that writes each body and sends it back, and announces it. It ends with SIGTERM. */
export async function serveFloor(write: (body: Submission) => Promise<void>): Promise<void> {
  // A run of the other side may take longer than the time after which Fastify closes an idle connection.
  const server = fastify({ keepAliveTimeout: 120_000 });
  server.post<{ Body: Submission }>("*", async ({ body }) => {
    await write(body);
    return body;
  });
  console.log(JSON.stringify({ url: await server.listen({ host: "127.0.0.1", port: 0 }) }));
  process.once("SIGTERM", () => process.exit());
}
