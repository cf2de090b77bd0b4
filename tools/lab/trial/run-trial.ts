import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type TrainyardClient } from "../../../src/client/client.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { findEntry, type Queue } from "../demo/follow-entries.ts";
import { judgeBase, readBaseHistory } from "../judge/judge-base.ts";
import { findLitter } from "../judge/judge-github.ts";
import type { LocalRepository } from "../local-repository.ts";
import { issueToken } from "../service/service-environment.ts";
import { deployAlone, inWorld } from "../world.ts";
import type { Configuration } from "./configuration.ts";
import { drawPullRequests, type TrialPullRequest } from "./pull-requests.ts";
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
    while ((await findEntry(this.#client, this.#queue, number)) === null) await sleep(50);
    if (plan.change === "cancel") await comment(alice, "/trainyard cancel");
    else await alice.local.pushCommit(plan.name, { [`${plan.name}.md`]: "More.\n" }, `${plan.title}, more`);
    this.#takenBack.set(number, Date.now());
  }

  /** Waits until all entries have left the queue. Cancels the entries that rules or people keep from being tested. */
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

  /** Whether it has been waiting for people for some time. */
  async #isStuck(number: number): Promise<boolean> {
    await sleep(1_500);
    return (await findEntry(this.#client, this.#queue, number))?.state === "not_ready";
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
        ...(await this.#judgeTold(ends)),
        ...rules.map((rule) => `against GitHub's rules: ${rule}`),
      ],
    };
  }

  /** Waits for comments that are still to be written. */
  async #judgeTold(ends: readonly TrialEnd[]): Promise<string[]> {
    const deadline = Date.now() + 15_000;
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

/** The state of a pull request at the end of a trial. */
interface TrialEnd {
  readonly number: number;
  readonly plan: TrialPullRequest;
  readonly state: string;
  readonly reason: string;
  readonly isLive: boolean;
  readonly headSha: string;
  /** Whether the author withdrew it before GitHub merged it. GitHub's merge time has whole seconds. */
  readonly wasTakenBack: boolean;
}

/** The first line of a comment that was written because a place was lost. */
const lossMark = /^<!-- trainyard \S+@\d+ -->/;

function isAboutLoss({ body }: { readonly body: string }): boolean {
  return lossMark.test(body);
}

/** A lost place has one comment, which mentions its author and its submitter, unless its author gave it up. A merge has none. */
function judgeLosses(
  { number, plan, state, reason }: TrialEnd,
  comments: readonly { readonly mentioned: readonly string[] }[],
): string[] {
  const isLost = state === "failed" || (state === "cancelled" && plan.change !== "cancel");
  const expected = isLost ? (plan.fromFork ? "bob, carol" : "alice") : "nobody";
  const told = comments.map(({ mentioned }) => mentioned.toSorted().join(", ")).join("; ") || "nobody";
  return told === expected ? [] : [`#${number} ended ${state} (${reason}), told ${told} and not ${expected}`];
}

/** Returns the outcomes that differ from the truth: good pull requests that did not merge, or forbidden ones that did. */
export function judgeEnds(ends: readonly TrialEnd[]): string[] {
  const wrong = ends.flatMap(({ number, plan, state, reason, isLive, wasTakenBack }) => {
    const at = `#${number} "${plan.title}"`;
    const { ends: truth, because } = plan.truth;
    if (isLive) return [`${at} is stuck: ${state} (${reason})`];
    if (truth === "merges" && state !== "merged") return [`${at} ended ${state} (${reason}), but ${because}`];
    if (truth !== "never_merges" || state !== "merged") return [];
    // The pull request may merge before its author withdraws it.
    return plan.change !== null && !wasTakenBack ? [] : [`${at} merged, but ${because}`];
  });
  const groups = Map.groupBy(
    ends.filter(({ plan }) => plan.truth.ends === "one_of"),
    ({ plan }) => (plan.truth.ends === "one_of" ? plan.truth.group : ""),
  );
  for (const [group, members] of groups) {
    const merged = members.filter(({ state }) => state === "merged");
    const states = members.map(({ number, state, reason }) => `#${number} ${state} (${reason})`).join(", ");
    if (merged.length !== 1) wrong.push(`of ${group} exactly one must merge, but: ${states}`);
  }
  return wrong;
}

/** Whether main has the tree that plain git computes by merging the merged pull requests in any order. */
async function judgeFinalTree(
  local: LocalRepository,
  firstSha: string,
  ends: readonly TrialEnd[],
): Promise<string[]> {
  const merged = ends.filter(({ state }) => state === "merged").map(({ headSha }) => headSha);
  const [expected, actual] = [await local.treeOfMerges(firstSha, merged), await local.treeOf("origin/main")];
  return expected === actual ? [] : [`main has the tree ${actual}, and merging by hand makes ${expected}`];
}
