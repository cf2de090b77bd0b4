import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { createClient, type TrainyardClient } from "../../../src/client/client.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { type DatabaseKind, openDatabase } from "../postgres.ts";
import { issueToken, ServiceProcess, serviceEnvironment } from "../service/service-process.ts";

import { type End, SmallRepository } from "../small-repository.ts";
import { inWorld, type Place, type World } from "../world.ts";
import { pointsFile, writePlan } from "./preload.ts";
import { type CrashScenario, type ScenarioName, scenarios } from "./scenarios.ts";
import { type CrashResult, type KillOptions, killAtEach, type PlayedScenario } from "./simulated-crashes.ts";

export interface CrashOptions extends KillOptions {
  readonly scenarios: readonly ScenarioName[];
  readonly database: DatabaseKind;
  /** Settings that replace those of the scenarios. */
  readonly settings: Partial<QueueSettings>;
}

/** How long GitHub may take to show the end of the undisturbed run. On a busy machine, the service takes long to start. */
const patienceMs = 180_000;
const preload = pathToFileURL(join(import.meta.dirname, "preload.ts")).href;
const settings = {
  TRAINYARD_PUBLISH_MS: "100",
  TRAINYARD_RECONCILE_MS: "1000",
  TRAINYARD_LEASE_MS: "1000",
};
const retry = { attempts: 300, firstDelayMs: 20, maxDelayMs: 200 } as const;

interface Connected extends World<ServiceProcess> {
  readonly client: TrainyardClient;
  readonly userToken: string;
}

interface Run {
  readonly end: End;
  readonly points: readonly string[];
  readonly wasKilled: boolean;
}

/**
 * Plays each scenario once undisturbed, then once for each boundary, at which it kills the service. An end that differs from the
 * undisturbed one is a violation.
 *
 * @throws Error when a scenario does not end at all
 */
export async function runCrashes(options: CrashOptions): Promise<CrashResult> {
  await using resources = new AsyncDisposableStack();
  const deploy = async ({ sandbox, directory, port, settings }: Place) => {
    const { url: databaseUrl } = resources.use(await openDatabase(options.database, directory));
    const env = {
      ...{ ...serviceEnvironment(sandbox, port, databaseUrl), ...settings },
      NODE_OPTIONS: `--import=${preload}`,
      TRAINYARD_CRASH_DIRECTORY: directory,
    };
    return { databaseUrl, service: new ServiceProcess(env, join(directory, "service.log")) };
  };
  return await inWorld({ name: "crash", deploy, settings, tell: options.progress }, async (world) => {
    const { directory, sandbox, service, databaseUrl } = world;
    writePlan(directory, { run: "start", killAt: null });
    const token = await issueToken(databaseUrl, "acme", "admin");
    await service.start();
    sandbox.setWebhookUrl(`${service.url}/api/github/webhooks`);
    const client = createClient({ baseUrl: service.url, token, retry });
    const { token: userToken } = sandbox.createUser({ login: "alice", permission: "admin" });
    const violations: string[] = [];
    let kills = 0;
    for (const name of options.scenarios) {
      const done = await crashEverywhere({ ...world, client, userToken }, name, options);
      kills += done.kills;
      violations.push(...done.violations);
    }
    violations.push(...sandbox.violations.map((violation) => JSON.stringify(violation)));
    return { kills, violations };
  });
}

async function crashEverywhere(
  world: Connected,
  name: ScenarioName,
  options: CrashOptions,
): Promise<CrashResult> {
  let undisturbed: End | null = null;
  return await killAtEach(name, playOnce, options);

  async function playOnce(killAt: number | null): Promise<PlayedScenario> {
    const scenario: CrashScenario = scenarios[name];
    const queue = { ...scenario.queue, ...options.settings } as CrashScenario["queue"];
    const { end, points, wasKilled } = await play(
      world,
      `${name}-${killAt ?? 0}`,
      { ...scenario, queue },
      killAt,
      undisturbed,
    );
    const isGood = undisturbed === null ? isFinal(end) : isDeepStrictEqual(end, undisturbed);
    const wrong = isGood ? null : `after ${patienceMs / 1_000} s: ${differenceOf(end, undisturbed)}`;
    undisturbed ??= end;
    return { points, wasKilled, wrong };
  }
}

const differenceOf = (end: End, expected: End | null): string =>
  expected === null ? JSON.stringify(end) : `${JSON.stringify(end)} instead of ${JSON.stringify(expected)}`;

async function play(
  world: Connected,
  run: string,
  scenario: CrashScenario,
  killAt: number | null,
  expected: End | null,
): Promise<Run> {
  const { directory, sandbox, service, client, userToken } = world;
  const { queue, ciDurationMs } = scenario;
  const repository = await SmallRepository.create({
    sandbox,
    client,
    name: run,
    userToken,
    queue,
    ciDurationMs,
  });
  const prs = await scenario.prepare(repository);
  await sandbox.settled();
  writePlan(directory, { run, killAt });
  const over = new AbortController();
  const restarted = restartOnce(world, run, over.signal);
  try {
    await scenario.play(repository, prs);
    const end = await settle(repository, sandbox, expected);
    const points = (await readFile(pointsFile(directory, run), "utf8")).trimEnd().split("\n");
    writePlan(directory, { run, killAt: null });
    // The service may have been killed after the end, at an invisible boundary. In that case it is restarted.
    if (isFinal(end)) await repository.close();
    over.abort();
    const wasKilled = await restarted;
    writePlan(directory, { run: "between", killAt: null });
    if (!service.isRunning) throw new Error("the service ended by itself");
    return { end, points, wasKilled };
  } finally {
    over.abort();
    await restarted;
  }
}

/** Restarts the service if it has been killed. Returns whether it was. */
async function restartOnce(
  { service, directory, sandbox }: Connected,
  run: string,
  over: AbortSignal,
): Promise<boolean> {
  while (service.isRunning) {
    if (over.aborted) return false;
    await sleep(10);
  }
  writePlan(directory, { run, killAt: null });
  sandbox.limits.forgetAnswers();
  await service.start();
  return true;
}

async function settle(repository: SmallRepository, sandbox: Sandbox, expected: End | null): Promise<End> {
  const deadline = Date.now() + patienceMs;
  let before: End | null = null;
  for (;;) {
    await sandbox.settled();
    const end = await repository.end();
    const isOver = expected
      ? isDeepStrictEqual(end, expected)
      : isFinal(end) && isDeepStrictEqual(end, before);
    if (isOver || Date.now() > deadline) return end;
    before = end;
    await sleep(expected ? 200 : 1_000);
  }
}

function isFinal({ pullRequests, ownBranches }: End): boolean {
  return (
    ownBranches.length === 0 && pullRequests.every((text) => /^#\d+ (merged|failed|cancelled)/.test(text))
  );
}
