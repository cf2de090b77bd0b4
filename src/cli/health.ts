import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";

const timeoutMs = 5_000;

/**
 * `trainyard health`: asks the service on this machine whether it is alive, at `HOST` and `PORT`. For health checks of
 * containers, whose image may have no `curl`.
 */
export async function health(): Promise<number> {
  if (existsSync(".env")) loadEnvFile(".env");
  const { HOST, PORT } = process.env;
  const url = `http://${reachable(HOST || "localhost")}:${PORT || 3000}/healthz`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (answer.ok) {
      console.log(await answer.text());
      return 0;
    }
    console.error(`${url} answers ${answer.status}. Is this Trainyard?`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    console.error(`Trainyard does not answer at ${url}: ${reason}`);
  }
  return 1;
}

/** The address at which this machine reaches a service that listens on all addresses. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
