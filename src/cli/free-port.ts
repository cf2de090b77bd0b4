import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Operating systems assign ports from 32768 (Linux) or 49152 on: to outgoing connections, and to servers that listen on port
 * 0.
 */
const [lowest, highest] = [15_000, 32_767];
const maxTries = 20;

/**
 * Returns a loopback port that is unused now, that the system does not assign by itself, and that no other call in any process returns
 * while this process lives. So the port is still free when a killed service is restarted.
 *
 * @throws Error when no port is free
 */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(lowest, highest + 1);
    try {
      await reserve(port);
      await tryOut(port);
      return port;
    } catch (error) {
      if (tries === maxTries || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
}

/** Binds the UDP port of the same number until the process ends. A TCP server can still listen on its port. */
async function reserve(port: number): Promise<void> {
  const socket = createSocket("udp4").unref();
  try {
    socket.bind(port, "127.0.0.1");
    await once(socket, "listening");
  } catch (error) {
    socket.close();
    throw error;
  }
}

async function tryOut(port: number): Promise<void> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
