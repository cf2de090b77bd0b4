import type { FastifyInstance } from "fastify";

const graceMs = 10_000;
const lookMs = 50;

/**
 * Refuses new requests and waits for those in flight. It does not wait for clients that only keep their connection open or never finish
 * sending: Node closes only connections that are idle at that moment, not those that become idle later.
 */
export async function closeGently(app: FastifyInstance): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), lookMs);
  const late = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(late);
  }
}
