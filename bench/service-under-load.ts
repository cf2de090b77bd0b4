import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../src/cli/free-port.ts";
import { createClient } from "../src/client/client.ts";
import { ServiceProcess } from "../tools/lab/service/service-process.ts";
import type { Call } from "./load.ts";
import { repository } from "./local-github.ts";
import { node } from "./server-process.ts";

export interface Upload extends Omit<Call, "body"> {
  readonly body: Buffer;
  /** The number of its targets. */
  readonly count: number;
}

export interface ServiceUnderLoad extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  /** The token of the calls, and the queue that they are about. */
  readonly sender: { readonly token: string; readonly queue: { repo: object; targetBranch: string } };
  submission(pr: number): Call;
  /** Any call, below /v1. */
  call(path: string, body: object): Call;
  /** An upload for a pull request, with so many targets that its body has `bytes` bytes. */
  upload(pr: number, sha: string, bytes: number): Upload;
  /** An upload of a report, in gzip and base64, for a run on the stable branch. */
  results(run: number, gzipped: Buffer): Omit<Upload, "count">;
}

const never = "86400000";
const main = join(import.meta.dirname, "../src/main.ts");

/**
 * Starts the service with one paused queue, on its own database. Its background work, such as updating pull requests and
 * looking for missed events, is postponed for a day. First comments are written, as many as github.com permits.
 */
export async function startService(
  githubHost: string,
  githubEnv: Readonly<Record<string, string>>,
  directory: string,
  moreEnv: Readonly<Record<string, string>> = {},
): Promise<ServiceUnderLoad> {
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  const env = { ...githubEnv, GHE_HOST: githubHost, DATABASE_URL: databaseUrl, ...moreEnv };
  const service = await startProcess(env, directory);
  const token = await createToken(databaseUrl);
  const queue = { repo: { host: githubHost, ...repository }, targetBranch: "main" };
  await createClient({ baseUrl: service.url, token }).createQueue({ ...queue, state: "paused" });
  const headers = { "content-type": "application/json", "x-api-token": token };
  const at = (endpoint: string) =>
    ({ method: "POST", url: `${service.url}/v1/${endpoint}`, headers }) as const;
  return {
    pid: service.pid,
    url: service.url,
    sender: { token, queue },
    call: (path, body) => ({ ...at(path), body: JSON.stringify(body) }),
    submission: (number) => ({
      ...at("submitPullRequest"),
      body: JSON.stringify({ ...queue, pr: { number } }),
    }),
    upload(number, sha, bytes) {
      const upload = { ...queue, pr: { number, sha } };
      const impactedTargets = targetsOf(bytes - JSON.stringify({ ...upload, impactedTargets: [] }).length);
      const body = Buffer.from(JSON.stringify({ ...upload, impactedTargets }));
      return { ...at("setImpactedTargets"), body, count: impactedTargets.length };
    },
    results(run, gzipped) {
      const upload = {
        ...{ repo: queue.repo, head_sha: "a".repeat(40), tree_sha: run.toString(16).padStart(40, "0") },
        ...{ branch: "main", kind: "stable", run_id: String(run), job: "test", step_failed: true },
        reports: [{ path: "junit.xml", encoding: "gzip", content: gzipped.toString("base64") }],
      };
      return { ...at("flaky-tests/upload-results"), body: Buffer.from(JSON.stringify(upload)) };
    },
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

/** Starts a service without a queue. Its background work is postponed for a day. */
export async function startProcess(
  env: Readonly<Record<string, string>>,
  directory: string,
): Promise<ServiceProcess> {
  const port = String(await freePort());
  const service = new ServiceProcess(
    {
      HOST: "127.0.0.1",
      PORT: port,
      TRAINYARD_PUBLISH_MS: never,
      TRAINYARD_RECONCILE_MS: never,
      TRAINYARD_RATE_LIMIT: "0",
      TRAINYARD_CONTENT_PER_MINUTE: "80",
      TRAINYARD_CONTENT_PER_HOUR: "500",
      ...env,
    },
    join(directory, `service-${port}.log`),
  );
  await service.start();
  return service;
}

/** Returns targets that take `bytes` bytes in a list. */
function targetsOf(bytes: number): string[] {
  const targets: string[] = [];
  let left = bytes;
  while (left > 100) {
    const target = `//services/payments/internal/ledger:target_${targets.length}`;
    left -= target.length + '"",'.length;
    targets.push(target);
  }
  return [...targets, "x".repeat(left - 2)];
}

export async function createToken(databaseUrl: string): Promise<string> {
  const [command, ...options] = node;
  const organisation = ["--organisation", repository.owner, "--scopes", "admin"];
  const { stdout } = await promisify(execFile)(
    command,
    [...options, main, "token", "create", ...organisation, "--json"],
    { env: { ...process.env, DATABASE_URL: databaseUrl } },
  );
  return JSON.parse(stdout).token;
}
