import { loadEnvFile } from "../load-env-file.ts";
import { ownAddress } from "../own-address.ts";

const timeoutMs = 5_000;

/**
 * `trainyard health`: asks the service on this machine whether it is alive, at `HOST` and `PORT`. For health checks of
 * containers, whose image may have no `curl`.
 */
export async function health(): Promise<number> {
  loadEnvFile();
  const url = `${ownAddress(process.env)}/healthz`;
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
