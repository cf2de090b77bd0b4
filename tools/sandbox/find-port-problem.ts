import { once } from "node:events";
import { createServer } from "node:net";

/** Returns one line that says what to do if nothing can listen on a loopback port; null = it is free. */
export async function findPortProblem(port: number): Promise<string | null> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      return `Port ${port} is in use. Choose another one with --port, or leave --port out for a free one.`;
    if (code === "EACCES") return `Port ${port} needs more rights. Choose one above 1023 with --port.`;
    return `Port ${port} cannot be used: ${message}. Choose another one with --port.`;
  }
  server.close();
  await once(server, "close");
  return null;
}
