import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type TrainyardClient } from "../../../src/client/client.ts";
import type { Fetch } from "../../../src/client/fetch.ts";
import type { FaultPlan } from "../../sandbox/faults/fault-plan.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { WebhookFaults } from "../../sandbox/webhooks/hook.ts";
import { type Disturbance, disturb } from "../disturbances.ts";
import { judgeDemo } from "../judge/judge-demo.ts";
import { issueToken, type Service } from "../service/service-process.ts";

import { type Deployed, deployAlone, inWorld, type Place, type World } from "../world.ts";
import { postTargets, UploadStep } from "./action-steps.ts";
import { act, type OpenedPullRequest, submitUntilAccepted } from "./authors.ts";
import { findEntry, untilAllEnd, untilNoneEnds } from "./follow-entries.ts";
import type { DemoResult } from "./result.ts";
import { impactOf } from "./scenario.ts";
import { ciChecks, fullName, makeFlakesKnown, repository, setUpRepository } from "./set-up-repository.ts";

import { TestJob } from "./test-job.ts";

export interface DemoOptions {
  readonly pullRequests: number;
  readonly seed: number;
  readonly mergeMethod: "squash" | "merge_commit" | "rebase";
  /** Default: that of the service. */
  readonly mergeBy?: "async_api";
  /** How long GitHub takes for an asynchronous merge, in milliseconds. Default: that of the sandbox. */
  readonly asyncMergeMs?: number;
  readonly concurrency: number;
  readonly mode: "single" | "parallel";
  readonly batch: boolean;
  /** How long a check takes, in milliseconds, from and to. */
  readonly ciDurationMs: readonly [number, number];
  /** Share of webhooks that are lost, 0 to 1. */
  readonly dropWebhooks: number;
  readonly port: number | null;
  /** Other faults of webhooks. */
  readonly webhooks?: Omit<WebhookFaults, "drop">;
  /** Faults of the service's calls after the setup. */
  readonly faults?: FaultPlan;
  /** The label that shows each state; default: no labels. */
  readonly stateLabels?: Readonly<Record<string, string>>;
  /** Settings of the service that override the demo's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** If no pull request ends for this time, the remaining ones are stuck. Default: no limit. */
  readonly patienceMs?: number;
  /** How long GitHub may take to show the true state after the last pull request has ended. */
  readonly tidyMs?: number;
  /** For how long a pull request may still merge after its author withdrew it. Default: 0. */
  readonly graceMs?: number;
  /** Opens one more pull request, which is left to the user. It is not judged. */
  readonly invite?: boolean;
  /** Receives the steps before and after the queue works. */
  readonly tell?: (step: string) => void;
  /** Sends the requests to the service's API. Default: the global one. */
  readonly fetch?: Fetch;
  /** Whether a pull request is submitted through the API, and not by a comment. Default: none is. */
  readonly submitsByApi?: (number: number) => boolean;
  /** One in this many jobs uploads its report when all tests passed. Default: each. */
  readonly passedPerUpload?: number;
  /** Sets up the service and its database. Default: one process on SQLite. */
  readonly deploy?: (place: Place) => Promise<Deployed>;
  readonly watch?: (demo: RunningDemo) => Promise<void>;
  /** Further disturbances while the demo runs. */
  readonly disturbances?: readonly Disturbance[];
  /** Further judges of the outcome. */
  readonly judges?: readonly Judge[];
  /** Awaited before everything is closed. */
  readonly afterwards?: (demo: RunningDemo, result: DemoResult) => Promise<void>;
}

/** Examines the outcome before everything is closed. Returns the problems. */
export type Judge = (demo: RunningDemo) => Promise<readonly string[]>;

export interface RunningDemo {
  readonly service: Service;
  readonly sandbox: Sandbox;
  readonly client: TrainyardClient;
  readonly queue: { repo: { host: string; owner: string; name: string }; targetBranch: string };
  readonly pullRequests: readonly OpenedPullRequest[];
  /** The dashboard page of the queue. */
  readonly page: string;
  /** The page of the pull request that is left to the user, on the local GitHub; null = there is none. */
  readonly invitation: string | null;
  /** The dashboard page of a test that is known to be flaky and fails in the queue. */
  readonly flakyTestPage: string;
  /** Resolves when all people have finished their acts and the queue is empty. */
  readonly finished: Promise<void>;
}

/** The last pull requests wait one minute for a full batch. That is the shortest wait that can be set. */
const batches = {
  batch: true,
  batchingMinSize: 3,
  batchingMaxWaitTimeMinutes: 1,
  bisectionConcurrency: 2,
  optimizationMode: "bisection_skip_redundant_tests",
} as const;

/** The client retries, because a killed service is restarted. A service without its database asks to wait a second. */
const retry = { attempts: 300, firstDelayMs: 50, maxDelayMs: 1_000 } as const;

/** Runs the whole demo and judges its outcome by the truth. */
export function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { seed, webhooks, dropWebhooks, asyncMergeMs: asyncMerge, port, settings = {} } = options;
  const delays = asyncMerge === undefined ? {} : { asyncMerge };
  const sandbox = { seed, delays, webhooks: { ...webhooks, drop: dropWebhooks } };
  const { deploy = deployAlone } = options;
  return inWorld({ name: "demo", sandbox, port, settings, deploy }, (world) =>
    play({ ...options, ...world }),
  );
}

async function play(stage: DemoOptions & World): Promise<DemoResult> {
  const { sandbox, service } = stage;
  const queue = { repo: { host: sandbox.host, ...repository }, targetBranch: "main" };
  const tokenFor = (scope: "admin" | "tests:upload") =>
    issueToken(stage.databaseUrl, repository.owner, scope);
  const token = await tokenFor("admin");
  const { fetch = globalThis.fetch, submitsByApi = () => false } = stage;
  const client = createClient({ baseUrl: service.url, token, retry, fetch });
  const good = new Set<number>();
  const runner = join(stage.directory, "runner");
  await mkdir(runner);
  const place = {
    ...{ githubUrl: sandbox.url, repository: fullName },
    githubToken: sandbox.createUser({ login: "github-actions", permission: "read" }).token,
    ...{ apiUrl: service.url, apiToken: await tokenFor("tests:upload"), directory: runner },
  };
  const testJob = new TestJob({
    uploadStep: new UploadStep(place),
    passedPerUpload: stage.passedPerUpload ?? 1,
    isGood: (pr) => good.has(pr),
    exists: (branch) => admin.local.exists(branch),
  });
  const { lastStep } = testJob;
  const { tell = () => {} } = stage;
  const [{ people, opened, admin, invitation }] = await Promise.all([
    setUpRepository(sandbox, { ...stage, lastStep, tell }),
    service.start(),
  ]);
  for (const { number, plan } of opened) if (plan.truth.ends === "merged") good.add(number);
  tell("Showing Trainyard two flaky tests");
  const flakyTestPage = await makeFlakesKnown(sandbox, admin, client, queue.repo);
  // The queue has tested everything that it merges, so main no longer needs its own CI.
  sandbox.setCi(fullName, { checks: ciChecks(stage.seed), durationMs: stage.ciDurationMs, lastStep });
  sandbox.setWebhookUrl(`${service.url}/api/github/webhooks`);
  const { concurrency, mergeMethod, mergeBy, mode, batch } = stage;
  const merging = { mergeMethod, ...(mergeBy ? { mergeBy } : {}) };
  await client.createQueue({ ...queue, concurrency, ...merging, mode, ...(batch ? batches : {}) });
  await sandbox.settled();
  sandbox.requests.clear();
  if (stage.faults) sandbox.faults.use(stage.faults);

  const began = Date.now();
  const over = new AbortController();
  const look = (number: number) => {
    over.signal.throwIfAborted();
    return findEntry(client, queue, number);
  };
  const acts = opened.map(async (pr, index) => {
    // People do not all comment at the same moment.
    await sleep(index * 60);
    const author = people[pr.plan.author];
    const uploadImpact = async (headSha: string) => {
      if (mode !== "parallel") return;
      // A workflow's checkout has the full history, as the author's clone does.
      const workspace = join(stage.directory, pr.plan.author);
      const commit = { number: pr.number, headSha, workspace };
      await postTargets(commit, impactOf(pr.plan), { ...place, apiToken: token });
    };
    const submit = submitsByApi(pr.number)
      ? () => submitUntilAccepted(client, { ...queue, pr: { number: pr.number } })
      : null;
    return act(pr, { author, reader: people.carol }, repository, { look, uploadImpact, submit });
  });
  const ended = Promise.all(acts).then(() => untilAllEnd(look, opened, service));
  const { patienceMs } = stage;
  const finished =
    patienceMs === undefined ? ended : Promise.race([ended, untilNoneEnds(look, opened, patienceMs)]);
  const page = `${service.url}/queues/${[sandbox.host, repository.owner, repository.name, "main"].map(encodeURIComponent).join("/")}`;
  const running = {
    service,
    sandbox,
    client,
    queue,
    pullRequests: opened,
    page,
    invitation,
    flakyTestPage,
  };
  const demo: RunningDemo = { ...running, finished };
  const { disturbances = [], judges = [] } = stage;
  const [counts] = await Promise.all([disturb(demo, disturbances), finished, stage.watch?.(demo)]);
  over.abort(new Error("the demo is over"));
  const seconds = Math.round((Date.now() - began) / 100) / 10;
  const { stateLabels: labels = {}, tidyMs = 8_000, graceMs = 0 } = stage;
  tell("Judging the outcome by the truth");
  const judged = await judgeDemo(demo, {
    admin,
    testJob,
    seconds,
    labels,
    patienceMs: tidyMs,
    graceMs,
    callsFail: stage.faults !== undefined,
    callsRepeat: stage.faults !== undefined || disturbances.length > 0,
  });
  const found = await Promise.all(judges.map((judge) => judge(demo)));
  const violations = [...judged.violations, ...found.flat()];
  const result = { ...judged, disturbances: counts, violations };
  await stage.afterwards?.(demo, result);
  return result;
}
