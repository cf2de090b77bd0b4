import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, createClient, type TrainyardClient } from "../client/client.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { startSandbox } from "../sandbox/start-sandbox.ts";
import { act, type OpenedPullRequest, type Person } from "./authors.ts";
import { readBaseHistory } from "./base-history.ts";
import { freePort } from "./free-port.ts";
import { impactOf } from "./impact.ts";
import { judgeFlakes } from "./judge-flakes.ts";
import { makeFlakesKnown } from "./make-flakes-known.ts";
import { countCalls } from "./rest-calls.ts";
import type { DemoResult } from "./result.ts";
import { issueToken, serviceEnvironment } from "./service-environment.ts";
import { ServiceProcess } from "./service-process.ts";
import { ciChecks, repository, setUpRepository } from "./set-up-repository.ts";
import { TestJob } from "./test-job.ts";
import { findLitter } from "./tidiness.ts";
import { type Ended, isProven, judgeBase, judgeEnds } from "./verify.ts";

export interface DemoOptions {
  readonly pullRequests: number;
  readonly seed: number;
  readonly mergeMethod: "squash" | "merge_commit";
  readonly concurrency: number;
  readonly mode: "single" | "parallel";
  readonly batch: boolean;
  /** Milliseconds that a check takes, from and to. */
  readonly ciDurationMs: readonly [number, number];
  /** Webhooks that get lost, 0 to 1. */
  readonly dropWebhooks: number;
  readonly port: number | null;
  /** Is told what happens, while it happens. */
  readonly watch: (demo: RunningDemo) => Promise<void>;
  /** Breaks the demo off when it aborts, and has everything closed. */
  readonly abandon?: AbortSignal;
}

/** The demo under way. */
export interface RunningDemo {
  readonly service: ServiceProcess;
  readonly sandbox: Sandbox;
  readonly client: TrainyardClient;
  readonly queue: { repo: { host: string; owner: string; name: string }; targetBranch: string };
  readonly pullRequests: readonly OpenedPullRequest[];
  readonly users: Readonly<Record<string, { login: string; token: string }>>;
  /** Where the dashboard shows a test that is known to be flaky and fails in the queue. */
  readonly flakyTestPage: string;
  /** Resolves when everybody has done what they do and the queue is empty. */
  readonly finished: Promise<void>;
}

/** The last ones wait a minute for company, which is the shortest time that can be set. */
const batches = {
  batch: true,
  batchingMinSize: 3,
  batchingMaxWaitTimeMinutes: 1,
  bisectionConcurrency: 2,
  optimizationMode: "bisection_skip_redundant_tests",
} as const;

const fullName = `${repository.owner}/${repository.name}`;

/** Whatever is killed comes back. */
const retry = { attempts: 300, firstDelayMs: 50, maxDelayMs: 150 } as const;

/** Runs the whole demo, and judges by the truth what came of it. Rejects when it is abandoned. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-demo-"));
  const sandbox = await startSandbox({ seed: options.seed, webhooks: { drop: options.dropWebhooks } });
  const port = options.port ?? (await freePort());
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  const service = new ServiceProcess(
    serviceEnvironment(sandbox, port, databaseUrl),
    join(directory, "service.log"),
  );
  let isSound = false;
  try {
    const result = await play({ ...options, directory, sandbox, service, databaseUrl });
    isSound = result.violations.length === 0;
    return result;
  } finally {
    await service.stop();
    await sandbox.close();
    // After a failure the service's log is what one wants to read.
    if (isSound || options.abandon?.aborted) await rm(directory, { recursive: true, force: true });
    else console.error(`The service's log and database are in ${directory}`);
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw signal.reason;
}

interface Stage extends DemoOptions {
  readonly directory: string;
  readonly sandbox: Sandbox;
  readonly service: ServiceProcess;
  readonly databaseUrl: string;
}

async function play(stage: Stage): Promise<DemoResult> {
  const { sandbox, service } = stage;
  const queue = { repo: { host: sandbox.host, ...repository }, targetBranch: "main" };
  const clientOf = async (scope: "admin" | "tests:upload") => {
    const token = await issueToken(stage.databaseUrl, repository.owner, scope);
    return createClient({ baseUrl: service.url, token, retry });
  };
  const client = await clientOf("admin");
  const uploader = await clientOf("tests:upload");
  const good = new Set<number>();
  const testJob = new TestJob({
    upload: (results) => uploader.uploadTestResults({ repo: queue.repo, ...results }),
    isGood: (pr) => good.has(pr),
    exists: (branch) => admin.local.exists(branch),
  });
  const { lastStep } = testJob;
  const [{ people, users, opened, admin }] = await Promise.all([
    setUpRepository(sandbox, { ...stage, lastStep }),
    service.start(),
  ]);
  for (const { number, plan } of opened) if (plan.truth.ends === "merged") good.add(number);
  stage.abandon?.throwIfAborted();
  const flakyTestPage = await makeFlakesKnown(sandbox, admin, client, queue.repo);
  // Whatever merges through the queue was tested: main needs no CI of its own any more.
  sandbox.setCi(fullName, { checks: ciChecks, durationMs: stage.ciDurationMs, lastStep });
  sandbox.setWebhookUrl(`${service.url}/api/github/webhooks`);
  const { concurrency, mergeMethod, mode, batch, abandon } = stage;
  await client.createQueue({ ...queue, concurrency, mergeMethod, mode, ...(batch ? batches : {}) });
  await sandbox.settled();
  sandbox.requests.clear();

  const began = Date.now();
  const look = (number: number) => lookAt(client, queue, number);
  const acts = opened.map(async (pr, index) => {
    // People do not all comment in the same instant.
    await sleep(index * 60);
    const author = people[pr.plan.author];
    const uploadImpact = async (sha: string) => {
      const impact = { pr: { number: pr.number, sha }, impactedTargets: impactOf(pr.plan) };
      if (mode === "parallel") await client.setImpactedTargets({ ...queue, ...impact });
    };
    return act(pr, { author, reader: people.carol }, repository, { look, uploadImpact });
  });
  const finished = Promise.all(acts).then(() => untilEmpty(client, queue, opened, service));
  const running = { service, sandbox, client, queue, pullRequests: opened, users, flakyTestPage };
  const demo: RunningDemo = { ...running, finished };
  const ended = Promise.all([finished, stage.watch(demo)]);
  await Promise.race(abandon ? [ended, aborted(abandon)] : [ended]);
  const seconds = Math.round((Date.now() - began) / 100) / 10;
  return judge({ ...stage, admin, testJob }, demo, seconds);
}

async function judge(
  stage: Stage & { admin: Person; testJob: TestJob },
  { client, queue, pullRequests, flakyTestPage }: RunningDemo,
  seconds: number,
): Promise<DemoResult> {
  const { sandbox } = stage;
  await sandbox.settled();
  const ended: Ended[] = await Promise.all(
    pullRequests.map(async ({ number, plan }) => {
      const entry = await client.getSubmittedPullRequest({ ...queue, pr: { number } });
      return { number, plan, state: entry.state, reason: entry.reason, proof: entry.merged?.proof ?? null };
    }),
  );
  const count = (state: string) => ended.filter((pr) => pr.state === state).length;
  const { octokit, local } = stage.admin;
  const base = await readBaseHistory(local, octokit, repository, "main");
  const verdict = await judgeBase(sandbox, fullName, base.commits);
  const green = await sandbox.ci.greenTrees(fullName);
  const proven = ended.filter((pr) => pr.state === "merged" && isProven(pr, base, green));
  const merged = count("merged");
  const numbers = pullRequests.map(({ number }) => number);
  const { flakes, violations: ofFlakes } = judgeFlakes(
    stage.testJob.strikes,
    ended,
    await (await fetch(flakyTestPage)).text(),
  );
  const violations = [
    ...(await findLitter(octokit, repository, numbers, `${sandbox.app.slug}[bot]`)),
    ...judgeEnds(ended),
    ...ofFlakes,
    ...verdict.red.map((sha) => `the base was red at ${sha}`),
    ...sandbox.violations.map(
      ({ kind, subject, detail }) => `the service broke GitHub's rules: ${kind} ${subject} ${detail}`,
    ),
  ];
  if (proven.length !== merged)
    violations.push(`${merged - proven.length} merged without a proof of their tree`);
  return {
    prs: pullRequests.length,
    merged,
    failed: count("failed"),
    cancelled: count("cancelled"),
    ...countCalls(sandbox, merged),
    baseCommitsChecked: verdict.checked,
    baseCommitsRed: verdict.red.length,
    treeProofs: proven.length,
    flakes,
    seconds,
    violations,
  };
}

/** Null while it was never submitted. */
async function lookAt(client: TrainyardClient, queue: RunningDemo["queue"], number: number) {
  try {
    return await client.getSubmittedPullRequest({ ...queue, pr: { number } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

async function untilEmpty(
  client: TrainyardClient,
  queue: RunningDemo["queue"],
  opened: readonly OpenedPullRequest[],
  service: ServiceProcess,
): Promise<void> {
  for (const { number } of opened) {
    for (;;) {
      service.check();
      const entry = await lookAt(client, queue, number);
      if (entry && !entry.isCurrentlySubmittedToQueue) break;
      await sleep(100);
    }
  }
}
