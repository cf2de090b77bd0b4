import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../src/cli/free-port.ts";
import { createClient, type TrainyardClient } from "../../../src/client/client.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { startSandbox } from "../../sandbox/start-sandbox.ts";
import { readBaseHistory } from "../demo/base-history.ts";
import { lookAt, type Queue } from "../demo/look-at.ts";
import { findLitter } from "../judge/tidiness.ts";
import { judgeBase } from "../judge/verify.ts";
import { issueToken, serviceEnvironment } from "../service/service-environment.ts";
import { ServiceProcess } from "../service/service-process.ts";
import type { Configuration } from "./configuration.ts";
import { judgeEnds, judgeFinalTree, type TrialEnd } from "./judge-trial.ts";
import { drawPullRequests } from "./pull-requests.ts";
import { fullName, type OpenedPullRequest, repository, setUpTrial, type TrialWorld } from "./set-up-trial.ts";

export interface TrialResult {
  readonly pullRequests: number;
  readonly merged: number;
  readonly baseCommits: number;
  readonly ciStarts: number;
  readonly seconds: number;
  readonly violations: readonly string[];
}

const at = { owner: repository.owner, repo: repository.name };

/** Plays one configuration with `count` pull requests, and judges the outcome by the truth. */
export async function runTrial(configuration: Configuration, count: number): Promise<TrialResult> {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-trial-"));
  const runners = configuration.ci === "few_runners" ? { runners: 4 } : {};
  const sandbox = await startSandbox({ seed: configuration.seed, ...runners });
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  const service = new ServiceProcess(
    serviceEnvironment(sandbox, await freePort(), databaseUrl),
    join(directory, "service.log"),
  );
  let isSound = false;
  try {
    const world = await setUpTrial(sandbox, directory, configuration, drawPullRequests(configuration, count));
    await service.start();
    const token = await issueToken(databaseUrl, repository.owner, "admin");
    const client = createClient({ baseUrl: service.url, token, timeoutMs: 180_000 });
    sandbox.setWebhookUrl(`${service.url}/api/github/webhooks`);
    const result = await new Trial(configuration, sandbox, client, world).play();
    isSound = result.violations.length === 0;
    return result;
  } finally {
    await service.stop();
    await sandbox.close();
    if (isSound) await rm(directory, { recursive: true, force: true });
    else console.error(`The service's log and database are in ${directory}`);
  }
}

/** A running trial of one configuration. */
class Trial {
  readonly #configuration: Configuration;
  readonly #sandbox: Sandbox;
  readonly #client: TrainyardClient;
  readonly #world: TrialWorld;
  readonly #queue: Queue;
  /** When authors withdrew their pull requests. */
  readonly #takenBack = new Map<number, number>();

  constructor(configuration: Configuration, sandbox: Sandbox, client: TrainyardClient, world: TrialWorld) {
    this.#configuration = configuration;
    this.#sandbox = sandbox;
    this.#client = client;
    this.#world = world;
    this.#queue = { repo: { host: sandbox.host, ...repository }, targetBranch: "main" };
  }

  async play(): Promise<TrialResult> {
    const { opened } = this.#world;
    await this.#createQueue();
    const began = Date.now();
    const acts = opened.map(async (pr, index) => {
      // People do not all comment at the same moment.
      await sleep(index * 40);
      await this.#act(pr);
    });
    await Promise.all(acts);
    await this.#untilQuiet(began + 300_000 + opened.length * 15_000);
    return this.#judge(Math.round((Date.now() - began) / 1000));
  }

  async #createQueue(): Promise<void> {
    const { mergeMethod, mode, policy, concurrency, batchSize } = this.#configuration;
    const batch = { batch: true, batchingMinSize: batchSize, batchingMaxWaitTimeMinutes: 1 };
    const settings = { mergeMethod, mode, policy, concurrency, ...(batchSize === 1 ? {} : batch) };
    await this.#client.createQueue({ ...this.#queue, ...settings });
  }

  /** Submits a pull request as people do, and withdraws it if its plan says so. */
  async #act({ number, headSha, plan }: OpenedPullRequest): Promise<void> {
    const { alice, bob } = this.#world;
    if (this.#configuration.mode === "parallel") {
      const impactedTargets = targetsOf(plan, number);
      await this.#client.setImpactedTargets({
        ...this.#queue,
        pr: { number, sha: headSha },
        impactedTargets,
      });
    }
    const comment = (by: typeof alice, body: string) =>
      by.octokit.rest.issues.createComment({ ...at, issue_number: number, body });
    if (plan.fromFork) await comment(bob, `/trainyard merge ${headSha}`);
    else await comment(alice, "/trainyard merge");
    if (plan.change === null) return;
    while ((await lookAt(this.#client, this.#queue, number)) === null) await sleep(50);
    if (plan.change === "cancel") await comment(alice, "/trainyard cancel");
    else await alice.local.pushCommit(plan.name, { [`${plan.name}.md`]: "More.\n" }, `${plan.title}, more`);
    this.#takenBack.set(number, Date.now());
  }

  /** Waits until all entries have left the queue. Cancels the entries that rules or people keep from being tested. */
  async #untilQuiet(deadline: number): Promise<void> {
    for (const { number, plan } of this.#world.opened) {
      for (;;) {
        const entry = await lookAt(this.#client, this.#queue, number);
        if ((entry && !entry.isCurrentlySubmittedToQueue) || Date.now() > deadline) break;
        if (entry?.state === "not_ready" && plan.truth.ends !== "merges" && (await this.#isStuck(number)))
          await this.#client.cancelPullRequest({ ...this.#queue, pr: { number } });
        await sleep(100);
      }
    }
  }

  /** Whether it has been waiting for people for some time. */
  async #isStuck(number: number): Promise<boolean> {
    await sleep(1_500);
    return (await lookAt(this.#client, this.#queue, number))?.state === "not_ready";
  }

  async #judge(seconds: number): Promise<TrialResult> {
    const { admin, opened, firstSha } = this.#world;
    const ends = await Promise.all(opened.map((pr) => this.#endOf(pr)));
    const base = await readBaseHistory(admin.local, admin.octokit, repository, "main");
    const verdict = await judgeBase(this.#sandbox, fullName, base.commits);
    const litter = await findLitter(admin.octokit, repository, 15_000);
    const rules = this.#sandbox.violations.map(({ kind, subject, detail }) => `${kind} ${subject} ${detail}`);
    const ciStarts = this.#sandbox
      .workflowRuns(fullName)
      .filter(({ event, headBranch }) => event === "push" && headBranch?.startsWith("trainyard-")).length;
    return {
      pullRequests: ends.length,
      merged: ends.filter(({ state }) => state === "merged").length,
      baseCommits: verdict.checked,
      ciStarts,
      seconds,
      violations: [
        ...judgeEnds(ends),
        ...verdict.red.map((sha) => `main was red at ${sha}`),
        ...(await judgeFinalTree(admin.local, firstSha, ends)),
        ...litter,
        ...rules.map((rule) => `against GitHub's rules: ${rule}`),
      ],
    };
  }

  async #endOf({ number, headSha, plan }: OpenedPullRequest): Promise<TrialEnd> {
    const entry = await lookAt(this.#client, this.#queue, number);
    const takenBackAt = this.#takenBack.get(number) ?? Number.POSITIVE_INFINITY;
    // The service records a merge later than GitHub makes it, and an author may push in between.
    const { data: pull } = await this.#world.admin.octokit.rest.pulls.get({ ...at, pull_number: number });
    const mergedAt = pull.merged_at ? Date.parse(pull.merged_at) : Number.POSITIVE_INFINITY;
    return {
      number,
      plan,
      headSha,
      state: entry?.state ?? "never submitted",
      reason: entry?.reason ?? "none",
      isLive: entry === null || entry.isCurrentlySubmittedToQueue,
      wasTakenBack: takenBackAt < mergedAt,
    };
  }
}

/** Pull requests of one group share a target. Others share one of three parts of the repository. */
function targetsOf({ truth, name }: OpenedPullRequest["plan"], number: number): string[] {
  return [truth.ends === "one_of" ? truth.group : name, `part-${number % 3}`];
}
