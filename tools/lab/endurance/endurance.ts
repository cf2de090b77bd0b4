import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../../../src/client/client.ts";
import { type KnownOptions, type ValuesOf, wholeOption } from "../../command-options.ts";
import { describeCounts } from "../demo/result.ts";
import type { Experiment } from "../experiment.ts";
import { issueToken } from "../service/service-process.ts";
import { SmallRepository } from "../small-repository.ts";
import { deployAlone, inWorld } from "../world.ts";
import { type GrowthSample, judgeGrowth, megabytes, ProcessProbe, readTables } from "./measure-service.ts";

const about = `Merges pull requests on the local GitHub, wave after wave, and measures after each wave what the service keeps: memory after a
garbage collection, file handles, rows of each table, and branches. What grows without a bound, or faster than the number of
pull requests, is a violation. The default is what a team with 100 pull requests an hour merges in 24 hours.`;

const known = {
  prs: { value: "n", default: "2400", about: "how many pull requests" },
  wave: { value: "n", default: "40", about: "how many are in the queue at the same time" },
  json: { about: "print the samples as one line of JSON" },
} as const satisfies KnownOptions;

function parse(values: ValuesOf<typeof known>) {
  return {
    pullRequests: wholeOption("prs", values.prs, 2, 1_000_000),
    wave: wholeOption("wave", values.wave, 1, 1_000),
    json: values.json,
  };
}

interface EnduranceOptions {
  readonly pullRequests: number;
  /** How many pull requests are in the queue at the same time. */
  readonly wave: number;
  readonly onSample: (sample: GrowthSample, seconds: number) => void;
}

interface EnduranceResult {
  readonly samples: readonly GrowthSample[];
  readonly violations: readonly string[];
}

const tidyMs = 60_000;

/** Of ten pull requests, two pass alone and fail together, and one is withdrawn. */
function contentOf(index: number): string {
  const feature = `feature-${Math.floor(index / 10)}`;
  if (index % 10 === 3) return `${JSON.stringify({ sets: [feature] })}\n`;
  if (index % 10 === 4) return `${JSON.stringify({ forbids: [feature] })}\n`;
  return "{}\n";
}
const isWithdrawn = (index: number) => index % 10 === 7;

/** Merges waves of pull requests on the local GitHub, and measures after each wave what the service keeps. */
export async function runEndurance(options: EnduranceOptions): Promise<EnduranceResult> {
  const probe = await ProcessProbe.create();
  const world = { name: "endurance", deploy: deployAlone, settings: probe.env };
  return await inWorld(world, async ({ sandbox, directory, service, databaseUrl }) => {
    const file = join(directory, "trainyard.db");
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
      // These requests belong to the world, whose memory is not measured.
      sandbox.requests.clear();
      options.onSample(sample, (Date.now() - began) / 1_000);
    }
    return { samples, violations: judgeGrowth(samples) };
  });
}

/** Waits until the service has done all its work and removed its branches. Returns the branches that are left after a minute. */
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

export const endurance: Experiment<typeof known, ReturnType<typeof parse>> = {
  ...{ about, known, parse },
  async play(options, { progress, run }) {
    const onSample = (sample: GrowthSample, seconds: number) => {
      const { ended, heap, resident, fileHandles, database } = sample;
      progress(
        `${ended} pull requests: heap ${megabytes(heap)}, resident ${megabytes(resident)}, ${fileHandles} file handles, database ${megabytes(database)}; ${seconds.toFixed(1)} s`,
      );
    };
    const { samples, violations } = await runEndurance({ ...options, onSample });
    const rows = Object.fromEntries([...(samples.at(-1)?.rows ?? [])].filter(([, count]) => count > 0));
    const json = { samples: samples.map((one) => ({ ...one, rows: Object.fromEntries(one.rows) })) };
    run({ name: "growth", line: `rows: ${describeCounts(rows)}`, violations, json });
    return `${samples.at(-1)?.ended ?? 0} pull requests`;
  },
};
