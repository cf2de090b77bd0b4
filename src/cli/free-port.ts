import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Operating systems assign ports from 32768 (Linux) or 49152 on: to outgoing connections, and to servers that listen on port
 * 0.
 */
const [lowest, highest] = [15_000, 32_767];
const maxTries = 20;

/**
 * Returns a loopback port that is unused now, and that the system does not assign by itself, so that a service that is killed
 * and restarted finds it free again.
 *
 * @throws Error when no port is free
 */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(lowest, highest + 1);
    const server = createServer();
    try {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    } catch (error) {
      if (tries === maxTries || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
