import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "../src/client/client.ts";
import { freePort } from "../src/demo/free-port.ts";
import { ServiceProcess } from "../src/demo/service-process.ts";
import type { Call } from "./load.ts";
import { repository } from "./local-github.ts";
import { node } from "./server-process.ts";

export interface ServiceUnderLoad extends AsyncDisposable {
  submission(pr: number): Call;
}

const never = "86400000";
const main = join(import.meta.dirname, "../src/main.ts");

/**
 * The service with one queue, which is paused, on a database of its own. What it would do later of its own accord, telling
 * the pull request and looking whether anything was missed, is put off for a day.
 */
export async function startService(
  githubHost: string,
  githubEnv: Readonly<Record<string, string>>,
  directory: string,
): Promise<ServiceUnderLoad> {
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  const env = {
    ...githubEnv,
    GHE_HOST: githubHost,
    HOST: "127.0.0.1",
    PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
    TRAINYARD_PUBLISH_MS: never,
    TRAINYARD_RECONCILE_MS: never,
    TRAINYARD_RATE_LIMIT: "0",
  };
  const service = new ServiceProcess(env, join(directory, "service.log"));
  await service.start();
  const token = await createToken(databaseUrl);
  const queue = { repo: { host: githubHost, ...repository }, targetBranch: "main" };
  await createClient({ baseUrl: service.url, token }).createQueue({ ...queue, state: "paused" });
  const headers = { "content-type": "application/json", "x-api-token": token };
  return {
    submission: (number) => ({
      method: "POST",
      url: `${service.url}/v1/submitPullRequest`,
      headers,
      body: JSON.stringify({ ...queue, pr: { number } }),
    }),
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

async function createToken(databaseUrl: string): Promise<string> {
  const [command, ...options] = node;
  const organisation = ["--organisation", repository.owner, "--scopes", "admin"];
  const { stdout } = await promisify(execFile)(
    command,
    [...options, main, "token", "create", ...organisation, "--json"],
    { env: { ...process.env, DATABASE_URL: databaseUrl } },
  );
  return JSON.parse(stdout).token;
}
