import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../src/cli/free-port.ts";
import { openStore } from "../../../src/store/sqlite/open-store.ts";
import { draw } from "../../sandbox/seeded-draw.ts";
import { lookAt } from "../demo/look-at.ts";
import type { DemoResult } from "../demo/result.ts";
import { type DemoDeployment, type RunningDemo, runDemo } from "../demo/run-demo.ts";
import { tellProgress } from "../demo/tell-progress.ts";
import { countEnded } from "../demo/wait-for-end.ts";
import { LocalPostgres } from "../postgres/local-postgres.ts";
import { killAtRandom } from "../service/kill-at-random.ts";
import { pausesUntil } from "../service/pauses-until.ts";
import { serviceEnvironment } from "../service/service-environment.ts";
import { findDoubleClaims, watchClaims } from "./double-claims.ts";
import { ReplicaSet } from "./replica-set.ts";

export interface ReplicasOptions {
  readonly pullRequests: number;
  readonly seed: number;
  readonly replicas: number;
  /** Kills of a replica. */
  readonly kills: number;
  /** How long no replica is killed, from and to. */
  readonly killEveryMs: readonly [number, number];
  /** Crashes of the database server. */
  readonly crashes: number;
  readonly ciDurationMs: readonly [number, number];
  readonly concurrency: number;
  /** If no pull request ends for so long, the remaining ones are stuck. */
  readonly patienceMs: number;
  readonly progress?: (text: string) => void;
}

export interface ReplicasRun {
  readonly result: DemoResult;
  readonly kills: number;
  readonly crashes: number;
  /** What is wrong with the outcome, and claims that two replicas held. */
  readonly violations: readonly string[];
}

/** Runs the demo on several replicas and one PostgreSQL server, kills both, and judges the outcome. */
export async function runReplicas(options: ReplicasOptions): Promise<ReplicasRun> {
  const { seed, replicas, progress = () => {} } = options;
  const directory = await mkdtemp(join(tmpdir(), "trainyard-postgres-"));
  const server = await LocalPostgres.create(directory, { max_connections: 200 });
  const databaseUrl = `${server.url}/postgres`;
  let kills = 0;
  let crashes = 0;
  try {
    await (await openStore(databaseUrl)).close();
    await watchClaims(databaseUrl);
    let drawn = 0;
    const deploy = async ({ sandbox, directory: logs, port }: DemoDeployment) => {
      const ports: number[] = [];
      while (ports.length < replicas) ports.push(await freePort());
      return {
        databaseUrl,
        service: new ReplicaSet({
          env: () => ({ ...serviceEnvironment(sandbox, port, databaseUrl), ...leases }),
          ...{ port, ports, draw: () => draw(seed, "replica", drawn++) },
          logFile: (index) => join(logs, `service-${index + 1}.log`),
        }),
      };
    };
    const watch = async (demo: RunningDemo) => {
      const everyMs = options.killEveryMs;
      const killing = killAtRandom(demo, { kills: options.kills, seed, everyMs });
      const crashing = crashByProgress(demo, server, options.crashes);
      [kills, crashes] = await Promise.all([killing, crashing, tellProgress(demo, progress)]);
    };
    const { pullRequests, concurrency, ciDurationMs, patienceMs } = options;
    const result = await runDemo({
      ...{ pullRequests, seed, concurrency, ciDurationMs, patienceMs, watch, deploy },
      ...{ mergeMethod: "merge_commit", mode: "single", batch: false, port: null, dropWebhooks: 0 },
      passedPerUpload: 4,
      // Webhooks that come while a replica is dead are lost, and polling needs a replica that lives long enough. On a busy
      // machine, replicas take longer to start than the time between two kills.
      ...{ tidyMs: 60_000, graceMs: 180_000 },
    });
    const doubled = await findDoubleClaims(databaseUrl);
    return { result, kills, crashes, violations: [...result.violations, ...doubled] };
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** A killed replica's work waits until its lease ends. */
const leases = { TRAINYARD_LEASE_MS: "3000", TRAINYARD_RECONCILE_MS: "4000" };

/**
 * Crashes the database server and starts it again, each time that a further share of the pull requests has ended: with two crashes,
 * at a third and at two thirds. Returns the number of crashes.
 */
async function crashByProgress(
  { finished, pullRequests, client, queue }: RunningDemo,
  server: LocalPostgres,
  crashes: number,
): Promise<number> {
  const { pause, isOver } = pausesUntil(finished);
  for (let crash = 0; crash < crashes; ) {
    await pause(crashCheckMs);
    if (isOver()) return crash;
    const ended = await countEnded((pr) => lookAt(client, queue, pr), pullRequests);
    if (ended / pullRequests.length < (crash + 1) / (crashes + 1)) continue;
    await server.crash();
    await server.start();
    crash += 1;
  }
  return crashes;
}

/** Each check reads every pull request. */
const crashCheckMs = 2_000;
