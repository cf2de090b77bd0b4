import type { FastifyInstance } from "fastify";

const graceMs = 10_000;
const lookMs = 50;

/**
 * Takes no more requests, and waits for those under way, but not for clients that merely keep their connection or take for
 * ever to send: Node closes a connection that is idle at the moment of closing, and forgets about one that becomes so later.
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
