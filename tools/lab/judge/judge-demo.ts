import { setTimeout as sleep } from "node:timers/promises";
import type { OpenedPullRequest, Person } from "../demo/authors.ts";
import { readBaseHistory } from "../demo/base-history.ts";
import type { TestJob } from "../demo/ci/test-job.ts";
import { lookAt } from "../demo/look-at.ts";
import type { DemoResult } from "../demo/result.ts";
import type { RunningDemo } from "../demo/run-demo.ts";
import { fullName, repository } from "../demo/set-up-repository.ts";
import { judgeFlakes } from "./judge-flakes.ts";
import { judgeGitHub } from "./judge-github.ts";
import { countCalls } from "./rest-calls.ts";
import { describeStuck } from "./stuck.ts";
import { findLitter } from "./tidiness.ts";
import { type Ended, isProven, judgeBase, judgeEnds } from "./verify.ts";

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
}

/** Judges the outcome of a demo by the truth, and checks that GitHub shows that outcome. */
export async function judgeDemo(
  { sandbox, client, queue, pullRequests, flakyTestPage }: RunningDemo,
  { admin, testJob, seconds, labels, patienceMs, graceMs, callsFail }: Evidence,
): Promise<DemoResult> {
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
  return {
    prs: pullRequests.length,
    merged: merged.length,
    failed: count("failed"),
    cancelled: count("cancelled"),
    ...countCalls(sandbox, merged.length),
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
    const entry = await lookAt(client, queue, number);
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
