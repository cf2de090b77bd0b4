import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { createClient, type TrainyardClient } from "../../../src/client/client.ts";
import { type KnownOptions, type ValuesOf, wholeOption } from "../../command-options.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { findEntry, type Queue } from "../demo/follow-entries.ts";
import type { Experiment, ExperimentOptions } from "../experiment.ts";
import { judgeBase, readBaseHistory } from "../judge/judge-base.ts";
import { findLitter } from "../judge/judge-github.ts";
import { issueToken } from "../service/service-process.ts";
import { deployAlone, inWorld } from "../world.ts";
import { isAboutLoss, judgeEnds, judgeFinalTree, judgeLosses, type TrialEnd } from "./judge-trial.ts";
import { drawPullRequests } from "./pull-requests.ts";
import {
  type Configuration,
  describeConfiguration,
  drawConfiguration,
  fullName,
  type OpenedPullRequest,
  repository,
  setUpTrial,
  type TrialWorld,
} from "./set-up-trial.ts";

interface TrialOptions {
  readonly prs: number;
  readonly each: number;
  readonly seed: number;
  readonly atOnce: number;
}

/** Plays all configurations of a trial, `atOnce` of them at the same time. */
export async function playTrial(
  { prs, each, seed, atOnce }: TrialOptions,
  tell: (index: number, configuration: string, result: TrialResult) => void,
): Promise<TrialResult[]> {
  const results: TrialResult[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index * each < prs; index = next++) {
      const configuration = drawConfiguration(seed, index);
      const count = Math.min(each, prs - index * each);
      const result = await runTrial(configuration, count).catch((error: unknown) => brokenOff(count, error));
      results.push(result);
      tell(index, describeConfiguration(configuration), result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

function brokenOff(pullRequests: number, error: unknown): TrialResult {
  const nothing = { merged: 0, baseCommits: 0, ciStarts: 0, seconds: 0 };
  return { pullRequests, ...nothing, violations: [`the run broke off: ${inspect(error)}`] };
}

const about = `Plays many pull requests of every kind (good, broken together, conflicting, from forks, forbidden by rules or reviewers,
taken back) through queues of every kind, over real HTTP and git, on repositories with wild CI and rulesets. At the end no
commit of main was red, nothing good was evicted, nothing forbidden merged, main is what merging by hand makes of the
survivors, and every request kept to GitHub's description.`;

const known = {
  prs: { value: "n", default: "1000", about: "pull requests in all" },
  each: { value: "n", default: "50", about: "in each repository" },
  seed: { value: "n", default: "1", about: "decides the configurations, the pull requests and what CI does" },
  "at-once": { value: "n", default: "2", about: "repositories at the same time" },
  json: { about: "print each repository's result as a line of JSON" },
} as const satisfies KnownOptions;

function parse(values: ValuesOf<typeof known>): TrialOptions & ExperimentOptions {
  return {
    prs: wholeOption("prs", values.prs, 1, 1_000_000),
    each: wholeOption("each", values.each, 1, 1_000),
    seed: wholeOption("seed", values.seed, 1, 2 ** 31),
    atOnce: wholeOption("at-once", values["at-once"], 1, 100),
    json: values.json,
  };
}

export const trial: Experiment<typeof known, TrialOptions & ExperimentOptions> = {
  ...{ about, known, parse },
  async play(options, report) {
    const results = await playTrial(options, (index, configuration, result) => {
      const { pullRequests, merged, baseCommits, ciStarts, seconds, violations } = result;
      const line = `${configuration}\n   ${merged} of ${pullRequests} merged, ${baseCommits} commits of main, ${ciStarts} CI starts, ${seconds} s`;
      report.run({ name: `${index + 1}`, line, violations, json: { index, configuration, ...result } });
    });
    const sum = (value: (result: TrialResult) => number) =>
      results.reduce((total, result) => total + value(result), 0);
    return `${sum((one) => one.pullRequests)} pull requests in ${results.length} repositories, ${sum((one) => one.merged)} merged`;
  },
};

export interface TrialResult {
  readonly pullRequests: number;
  readonly merged: number;
  readonly baseCommits: number;
  readonly ciStarts: number;
  readonly seconds: number;
  readonly violations: readonly string[];
}

const at = { owner: repository.owner, repo: repository.name };
/** How long a busy machine may take to write the last comments and to remove the last branches. */
const patienceMs = 60_000;

/** Plays one configuration with `count` pull requests, and judges the outcome by the truth. */
export function runTrial(configuration: Configuration, count: number): Promise<TrialResult> {
  const runners = configuration.ci === "few_runners" ? { runners: 4 } : {};
  const options = { name: "trial", sandbox: { seed: configuration.seed, ...runners }, deploy: deployAlone };
  return inWorld(options, async ({ sandbox, directory, service, databaseUrl }) => {
    const world = await setUpTrial(sandbox, directory, configuration, drawPullRequests(configuration, count));
    await service.start();
    const token = await issueToken(databaseUrl, repository.owner, "admin");
    const client = createClient({ baseUrl: service.url, token, timeoutMs: 180_000 });
    sandbox.setWebhookUrl(`${service.url}/api/github/webhooks`);
    return await new Trial(configuration, sandbox, client, world).play();
  });
}

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
    while ((await findEntry(this.#client, this.#queue, number)) === null) await sleep(50);
    if (plan.change === "cancel") await comment(alice, "/trainyard cancel");
    else await alice.local.pushCommit(plan.name, { [`${plan.name}.md`]: "More.\n" }, `${plan.title}, more`);
    this.#takenBack.set(number, Date.now());
  }

  /** Waits until all entries have left the queue. Cancels the entries that rules or people prevent from being tested. */
  async #untilQuiet(deadline: number): Promise<void> {
    for (const { number, plan } of this.#world.opened) {
      for (;;) {
        const entry = await findEntry(this.#client, this.#queue, number);
        if ((entry && !entry.isCurrentlySubmittedToQueue) || Date.now() > deadline) break;
        if (entry?.state === "not_ready" && plan.truth.ends !== "merges" && (await this.#isStuck(number)))
          await this.#client.cancelPullRequest({ ...this.#queue, pr: { number } });
        await sleep(100);
      }
    }
  }

  /** Whether the pull request has waited for people for some time. */
  async #isStuck(number: number): Promise<boolean> {
    await sleep(1_500);
    return (await findEntry(this.#client, this.#queue, number))?.state === "not_ready";
  }

  async #judge(seconds: number): Promise<TrialResult> {
    const { admin, opened, firstSha } = this.#world;
    const ends = await Promise.all(opened.map((pr) => this.#endOf(pr)));
    const base = await readBaseHistory(admin.local, admin.octokit, repository, "main");
    const verdict = await judgeBase(this.#sandbox, fullName, base.commits);
    const litter = await findLitter(admin.octokit, repository, patienceMs);
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
        ...(await this.#judgeTold(ends)),
        ...rules.map((rule) => `against GitHub's rules: ${rule}`),
      ],
    };
  }

  /** Judges the comments about lost places. Waits for comments that are not written yet. */
  async #judgeTold(ends: readonly TrialEnd[]): Promise<string[]> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const wrong = ends.flatMap((end) =>
        judgeLosses(end, this.#sandbox.toldOn(fullName, end.number).filter(isAboutLoss)),
      );
      if (wrong.length === 0 || Date.now() > deadline) return wrong;
      await sleep(200);
    }
  }

  async #endOf({ number, headSha, plan }: OpenedPullRequest): Promise<TrialEnd> {
    const entry = await findEntry(this.#client, this.#queue, number);
    const takenBackAt = this.#takenBack.get(number) ?? Number.POSITIVE_INFINITY;
    // The service records a merge later than GitHub, and an author may push in between.
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
