import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../src/cli/free-port.ts";
import { createClient } from "../../../src/client/client.ts";
import { startSandbox } from "../../sandbox/start-sandbox.ts";
import { SmallRepository } from "../crash/small-repository.ts";
import { issueToken, serviceEnvironment } from "../service/service-environment.ts";
import { ServiceProcess } from "../service/service-process.ts";
import { type GrowthSample, judgeGrowth } from "./judge-growth.ts";
import { ProcessProbe } from "./process-probe.ts";
import { readTables } from "./read-tables.ts";

export interface EnduranceOptions {
  readonly pullRequests: number;
  /** How many of them are in the queue at the same time. */
  readonly wave: number;
  readonly onSample: (sample: GrowthSample, seconds: number) => void;
}

export interface EnduranceResult {
  readonly samples: readonly GrowthSample[];
  readonly violations: readonly string[];
}

const tidyMs = 60_000;

/** Of ten pull requests, two are green alone and red together, and one is withdrawn. */
function contentOf(index: number): string {
  const feature = `feature-${Math.floor(index / 10)}`;
  if (index % 10 === 3) return `${JSON.stringify({ sets: [feature] })}\n`;
  if (index % 10 === 4) return `${JSON.stringify({ forbids: [feature] })}\n`;
  return "{}\n";
}
const isWithdrawn = (index: number) => index % 10 === 7;

/** Merges pull requests wave after wave on the local GitHub, and measures what the service keeps after each. */
export async function runEndurance(options: EnduranceOptions): Promise<EnduranceResult> {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-endurance-"));
  const sandbox = await startSandbox({});
  const file = join(directory, "trainyard.db");
  const databaseUrl = `sqlite:${file}`;
  const port = await freePort();
  const probe = await ProcessProbe.create();
  const env = { ...serviceEnvironment(sandbox, port, databaseUrl), ...probe.env };
  const service = new ServiceProcess(env, join(directory, "service.log"));
  try {
    await service.start();
    const token = await issueToken(databaseUrl, "acme", "admin");
    sandbox.setWebhookUrl(`${service.url}/api/github/webhooks`);
    const repository = await SmallRepository.create({
      sandbox,
      client: createClient({ baseUrl: service.url, token }),
      name: "widgets",
      userToken: sandbox.createUser({ login: "alice", permission: "admin" }).token,
      queue: { mergeMethod: "merge_commit", concurrency: 8 },
      ciDurationMs: [50, 150],
    });
    const samples: GrowthSample[] = [];
    for (let ended = 0; ended < options.pullRequests; ) {
      const began = Date.now();
      const next = Math.min(options.pullRequests, ended + options.wave);
      await playWave(repository, ended, next);
      ended = next;
      const branches = await untilTidy(file, repository);
      const sample = { ended, branches, ...(await probe.sample()), ...readTables(file) };
      samples.push(sample);
      // Its requests belong to the world, whose memory is not measured.
      sandbox.requests.clear();
      options.onSample(sample, (Date.now() - began) / 1_000);
    }
    return { samples, violations: judgeGrowth(samples) };
  } finally {
    await service.stop();
    await sandbox.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Waits until the service has done all its work and removed its branches. Returns those that are left after a minute. */
async function untilTidy(file: string, repository: SmallRepository): Promise<readonly string[]> {
  const deadline = Date.now() + tidyMs;
  for (;;) {
    const { rows } = readTables(file);
    const isIdle = rows.get("outbox") === 0 && rows.get("inbox") === 0;
    const branches = isIdle ? await repository.ownBranches() : [];
    if ((isIdle && branches.length === 0) || Date.now() > deadline) return branches;
    await sleep(200);
  }
}

async function playWave(repository: SmallRepository, from: number, to: number): Promise<void> {
  const prs: number[] = [];
  for (let index = from; index < to; index++) {
    const pr = await repository.open(`Change ${index}`, `facts/change-${index}.json`, contentOf(index));
    await repository.comment(pr, "/trainyard merge");
    if (isWithdrawn(index)) await repository.comment(pr, "/trainyard cancel");
    prs.push(pr);
  }
  for (const pr of prs) await repository.until(pr);
}
