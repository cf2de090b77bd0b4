import { setTimeout as sleep } from "node:timers/promises";
import type { TrainyardClient } from "../../../src/client/client.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { hasEnded, type OpenedPullRequest, type Person } from "../demo/authors.ts";
import { findEntry, type Queue } from "../demo/follow-entries.ts";
import type { DemoResult } from "../demo/result.ts";
import type { RunningDemo } from "../demo/run-demo.ts";
import { fullName, repository } from "../demo/set-up-repository.ts";
import { countedFlake, type Strike, type TestJob } from "../demo/test-job.ts";
import { type Ended, isProven, judgeBase, judgeEnds, readBaseHistory } from "./judge-base.ts";
import { findLitter, judgeGitHub } from "./judge-github.ts";

export interface Evidence {
  readonly admin: Person;
  readonly testJob: TestJob;
  readonly seconds: number;
  /** The label that shows each state. */
  readonly labels: Readonly<Record<string, string>>;
  /** How long GitHub may take to show the true state. */
  readonly patienceMs: number;
  /** For how long a pull request may still merge after its author withdrew it. */
  readonly graceMs: number;
  /** Whether faults were planned for the service's calls. */
  readonly callsFail: boolean;
  /** Whether calls may have been repeated, because they failed or their process was killed. */
  readonly callsRepeat: boolean;
}

/** How many requests may create visible content for each merged pull request, when none is repeated (ADR 8), and among how many of these. */
const maxContentRequests = 3;
const fewMerges = 15;

/** Judges the outcome of a demo by the truth, and checks that GitHub shows that outcome. */
export async function judgeDemo(
  { sandbox, client, queue, pullRequests, flakyTestPage }: RunningDemo,
  { admin, testJob, seconds, labels, patienceMs, graceMs, callsFail, callsRepeat }: Evidence,
): Promise<Omit<DemoResult, "disturbances">> {
  const { octokit, local } = admin;
  const bot = `${sandbox.app.slug}[bot]`;
  const stuck = await describeStuck(client, queue, pullRequests);
  const ended = await Promise.all(pullRequests.map((pr) => endOf(pr)));
  const count = (state: string) => ended.filter((pr) => pr.state === state).length;
  const { owner, name: repo } = repository;
  const untrue = await judgeGitHub({ octokit, owner, repo, bot, labels }, pullRequests, ended, patienceMs);
  // While tests are running, their branches are still needed.
  const litter = stuck.length > 0 ? [] : await findLitter(octokit, repository, patienceMs);
  const base = await readBaseHistory(local, octokit, repository, "main");
  const verdict = await judgeBase(sandbox, fullName, base.commits);
  const green = await sandbox.ci.greenTrees(fullName);
  const merged = ended.filter(({ state }) => state === "merged");
  const unproven = merged.filter((pr) => !isProven(pr, base, green));
  const page = await readPage(flakyTestPage);
  const { flakes, violations: ofFlakes } = judgeFlakes(testJob.strikes, ended, page, { callsFail });
  const calls = countCalls(sandbox, merged.length);
  return {
    prs: pullRequests.length,
    merged: merged.length,
    failed: count("failed"),
    cancelled: count("cancelled"),
    ...calls,
    baseCommitsChecked: verdict.checked,
    baseCommitsRed: verdict.red.length,
    treeProofs: merged.length - unproven.length,
    flakes,
    faults: sandbox.faults.count(),
    seconds,
    violations: [
      ...stuck,
      ...untrue,
      ...litter,
      ...(callsRepeat || merged.length < fewMerges || calls.contentRequestsPerMerged <= maxContentRequests
        ? []
        : [`${calls.contentRequestsPerMerged} requests for each merge created what people see`]),
      ...judgeEnds(
        ended.filter(({ live }) => !live),
        graceMs,
      ),
      ...(stuck.length > 0 ? [] : ofFlakes),
      ...verdict.red.map((sha) => `the base was red at ${sha}`),
      ...unproven.map(({ number, proof }) => `#${number} merged without a proof of its tree (${proof})`),
      ...sandbox.violations.map(
        ({ kind, subject, detail }) => `the service broke GitHub's rules: ${kind} ${subject} ${detail}`,
      ),
    ],
  };

  async function endOf({ number, plan, withdrawnAt }: OpenedPullRequest): Promise<Ended> {
    const entry = await findEntry(client, queue, number);
    return {
      number,
      plan,
      live: entry?.isCurrentlySubmittedToQueue ?? true,
      state: entry?.state ?? "never submitted",
      reason: entry?.reason ?? "",
      headSha: entry?.prSha ?? "",
      changedAt: Date.parse(entry?.stateChangedAt ?? ""),
      withdrawnAt,
      proof: entry?.merged?.proof ?? null,
    };
  }
}

/** Waits for a service that was just restarted, and whose former connections are closed. */
async function readPage(url: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await (await fetch(url)).text();
    } catch (error) {
      if (tries === 100)
        throw new Error(`the page ${url} could not be read to judge the run`, { cause: error });
      await sleep(200);
    }
  }
}

/** The judgement of a demo that has not finished. */
export interface SoFar {
  readonly prs: number;
  readonly merged: number;
  readonly baseCommitsChecked: number;
  readonly baseCommitsRed: number;
  readonly violations: readonly string[];
}

/** Kills the service, and judges what it has merged so far by the truth. */
export async function judgeSoFar({ sandbox, service, pullRequests }: RunningDemo): Promise<SoFar> {
  // The kill breaks jobs that call the service, which the sandbox would record as violations.
  const broken = [...sandbox.violations];
  await service.kill();
  const { commits, merged } = await sandbox.historyOf(fullName, "main");
  const verdicts = await Promise.all(
    commits.map(async (sha) => ({ sha, ...(await sandbox.ci.verdictOf(fullName, sha)) })),
  );
  const red = verdicts.filter(({ green }) => !green);
  return {
    prs: pullRequests.length,
    merged: pullRequests.filter(({ number }) => merged.includes(number)).length,
    baseCommitsChecked: commits.length,
    baseCommitsRed: red.length,
    violations: [
      ...red.map(({ sha }) => `the base was red at ${sha}`),
      ...broken.map(
        ({ kind, subject, detail }) => `the service broke GitHub's rules: ${kind} ${subject} ${detail}`,
      ),
    ],
  };
}

/** Describes each pull request that has not ended in time, with the queue's explanation. */
async function describeStuck(
  client: TrainyardClient,
  queue: Queue,
  pullRequests: readonly OpenedPullRequest[],
): Promise<string[]> {
  const stuck: string[] = [];
  for (const pr of pullRequests) {
    const { number, plan } = pr;
    const at = `#${number} "${plan.title}" is stuck:`;
    const entry = await findEntry(client, queue, number);
    const why = entry?.why.map(({ text }) => text).join(" → ");
    if (!entry) stuck.push(`${at} it was never submitted`);
    else if (entry.isCurrentlySubmittedToQueue)
      stuck.push(`${at} ${entry.state} (${entry.reason}), why: ${why}`);
    else if (!hasEnded(pr, entry))
      stuck.push(`${at} ${entry.state} (${entry.reason}), and not submitted again`);
  }
  return stuck;
}

interface CallCounts {
  readonly restCalls: number;
  readonly restCallsPerMerged: number;
  /** Requests that create visible content, which GitHub rate-limits. Edits do not count (ADR 8). */
  readonly contentRequestsPerMerged: number;
  /** Requests that create or change visible content. */
  readonly writingRequestsPerMerged: number;
  readonly graphqlCalls: number;
}

/** Ids of operations that create visible content, and of those that change it. */
const createsContent = /\b(add|create)(Comment|Reaction|CheckRun)\b|pulls\/merge|(issues|checks)\/create/;
const changesContent = /\bupdate(IssueComment|CheckRun)\b|(issues|checks)\/update/;

/**
 * Counts the calls of the service to GitHub's APIs, as the sandbox saw them. Responses with status 304 are free and do not count.
 * Divides by the merged pull requests only, although the calls about other pull requests are included.
 */
function countCalls({ requests }: Sandbox, merged: number): CallCounts {
  const calls = requests.entries.filter(({ actor }) => actor === "installation" || actor === "app");
  const ids = calls.map(({ operationId }) => operationId ?? "");
  const creating = ids.filter((id) => createsContent.test(id)).length;
  const writing = ids.filter((id) => createsContent.test(id) || changesContent.test(id)).length;
  const share = (count: number) => Math.round((count / Math.max(1, merged)) * 10) / 10;
  const rest = ids.filter((id) => !id.startsWith("graphql/")).length;
  return {
    restCalls: rest,
    restCallsPerMerged: share(rest),
    contentRequestsPerMerged: share(creating),
    writingRequestsPerMerged: share(writing),
    graphqlCalls: calls.length - rest,
  };
}

/** The outcomes of the flaky tests' failures in the queue. */
export interface FlakeCounts {
  readonly failed: number;
  /** The queue re-ran the job. */
  readonly rerun: number;
  /** Quarantined: the job passed without a re-run. */
  readonly forgiven: number;
  /** The queue discarded the run for another reason. */
  readonly discarded: number;
  /** Pull requests that a flaky test evicted from the queue. */
  readonly evicted: number;
}

/**
 * Counts the outcomes of flaky tests and returns the violations. `page`: the text of the dashboard page of the test whose
 * failures count. While calls fail, a re-run is not required: reports may arrive late, and a failed batch may be split first.
 */
export function judgeFlakes(
  strikes: readonly Strike[],
  ended: readonly Ended[],
  page: string,
  { callsFail }: { readonly callsFail: boolean },
): { readonly flakes: FlakeCounts; readonly violations: readonly string[] } {
  const count = (outcome: Strike["outcome"]) => strikes.filter((strike) => strike.outcome === outcome).length;
  // Only good pull requests are chosen to fail, so nothing else can have evicted them.
  const evicted = ended.filter(
    ({ number, state }) => state === "failed" && strikes.some(({ pr }) => pr === number),
  );
  const flakes = {
    failed: strikes.length,
    rerun: count("rerun"),
    forgiven: count("forgiven"),
    discarded: count("discarded"),
    evicted: evicted.length,
  };
  const violations = evicted.map(({ number }) => `#${number} was thrown out by a flaky test`);
  if (flakes.rerun === 0 && !callsFail)
    violations.push(`no job was run again although a flaky test failed in the queue: ${describe(strikes)}`);
  if (flakes.forgiven === 0) violations.push("no failure of a quarantined test was forgiven in the queue");
  for (const text of [countedFlake.name, countedFlake.failure, "Passed and failed on the same tree"])
    if (!page.includes(text)) violations.push(`the flaky test's page does not show "${text}"`);
  return { flakes, violations };
}

const describe = (strikes: readonly Strike[]): string =>
  strikes.map(({ pr, outcome, branch, runId }) => `#${pr} ${outcome} (run ${runId}, ${branch})`).join("; ");
