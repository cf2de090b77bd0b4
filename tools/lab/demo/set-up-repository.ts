import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RequestOf, TrainyardClient } from "../../../src/client/client.ts";
import type { CiSettings } from "../../sandbox/ci/ci-settings.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { shuffle } from "../../sandbox/seeded-draw.ts";
import { LocalRepository } from "../local-repository.ts";
import { createOctokit, openPullRequests, type Person } from "./authors.ts";
import { demoPullRequests, firstFiles, laterOnTheBase, pullRequestForUser } from "./scenario.ts";
import { countedFlake, forgivenFlake, testsJob } from "./test-job.ts";

export const repository = { owner: "acme", name: "widgets" };
export const fullName = `${repository.owner}/${repository.name}`;

interface Plan {
  /** The directory of the clones. */
  readonly directory: string;
  readonly seed: number;
  readonly pullRequests: number;
  readonly lastStep: NonNullable<CiSettings["lastStep"]>;
  /** The label that shows each state; states that are not listed have no label. */
  readonly stateLabels?: Readonly<Record<string, string>>;
  /** Opens one more pull request, which is left to the user. */
  readonly invite?: boolean;
  /** Receives each step. */
  readonly tell: (step: string) => void;
}

/** The names of CI's checks. The seed decides their order, because nothing may depend on it. */
export const ciChecks = (seed: number): string[] => shuffle(seed, ["build", testsJob], (name) => name);

/** CI is fast during the setup, because nothing observes it before the queue exists. */
const hastyMs = [30, 90] as const;

/**
 * Creates a repository with a protected main branch, four people with clones, and their pull requests, opened and green. Main has
 * moved since then, and CI has run on it.
 */
export async function setUpRepository(sandbox: Sandbox, plan: Plan) {
  const { directory, seed, pullRequests, lastStep, tell } = plan;
  const checks = ciChecks(seed);
  tell("Creating a repository with four people");
  const users = {
    alice: sandbox.createUser({ login: "alice", permission: "write" }),
    bob: sandbox.createUser({ login: "bob", permission: "write" }),
    carol: sandbox.createUser({ login: "carol", permission: "read" }),
    admin: sandbox.createUser({ login: "admin", permission: "admin" }),
  };
  // Allows the people who watch the demo to sign in to the dashboard with one click.
  sandbox.signInAs("admin");
  sandbox.setMembership(repository.owner, "admin", { role: "admin", state: "active" });
  const { gitUrl } = await sandbox.createRepository({
    ...repository,
    files: { ...firstFiles, ...settingsFile(plan.stateLabels) },
    protection: {
      requiredChecks: checks.map((context) => ({ context, appId: sandbox.ciAppId })),
      enforceAdmins: false,
    },
    ci: { checks, branches: ["main"], durationMs: hastyMs, lastStep },
  });
  const person = async (user: { login: string; token: string }): Promise<Person> => ({
    login: user.login,
    octokit: createOctokit(sandbox.url, user.token),
    local: await LocalRepository.clone(gitUrl, join(directory, user.login), user),
  });
  const [alice, bob, carol, admin] = await Promise.all([
    person(users.alice),
    person(users.bob),
    person(users.carol),
    person(users.admin),
  ]);
  const plans = demoPullRequests(pullRequests);
  let count = 0;
  const onPrepared = () => {
    count += 1;
    if (count === 1 || count % 10 === 0) tell(`Opening pull requests: ${count} of ${plans.length}`);
  };
  const opened = [
    ...(await openPullRequests(alice, repository, plans, onPrepared)),
    ...(await openPullRequests(bob, repository, plans, onPrepared)),
  ].sort((a, b) => plans.indexOf(a.plan) - plans.indexOf(b.plan));
  const [invitation] = plan.invite ? await openPullRequests(alice, repository, [pullRequestForUser]) : [];
  tell("Running CI on the pull requests");
  await sandbox.settled();
  await admin.local.pushCommit("main", laterOnTheBase, "Forbid the legacy login");
  await sandbox.settled();
  return {
    people: { alice, bob, carol },
    admin,
    opened,
    invitation: invitation ? `${sandbox.url}/${fullName}/pull/${invitation.number}` : null,
  };
}

/** YAML includes JSON. */
const settingsFile = (states: Plan["stateLabels"]): Record<string, string> =>
  states === undefined
    ? {}
    : { ".github/trainyard.yml": `${JSON.stringify({ labels: { states } }, null, 2)}\n` };

type Repo = RequestOf<"listUnhealthyTests">["repo"];

const patienceMs = 180_000;

/**
 * Replays what happened on main before the queue existed: CI failed in two tests, a person re-ran it, and it passed on the same tree.
 * Trainyard therefore detects both tests as flaky and quarantines them. Then a person turns off the quarantine of one of them. Returns the
 * URL of that test's page.
 */
export async function makeFlakesKnown(
  sandbox: Sandbox,
  { octokit }: Person,
  client: TrainyardClient,
  repo: Repo,
): Promise<string> {
  const at = { owner: repo.owner, repo: repo.name };
  const { data: main } = await octokit.rest.repos.getBranch({ ...at, branch: "main" });
  const { data } = await octokit.rest.actions.listWorkflowRunsForRepo({ ...at, head_sha: main.commit.sha });
  for (const { id } of data.workflow_runs)
    await octokit.rest.actions.reRunWorkflowFailedJobs({ ...at, run_id: id });
  await sandbox.settled();
  const flaky = { repo, org_url_slug: repo.owner, page_query: { page_size: 10 } };
  const counted = await until(async () => {
    const { unhealthy_tests: found } = await client.listUnhealthyTests(flaky);
    return found.find(({ name }) => name === countedFlake.name);
  }, `"${countedFlake.name}" to be known as flaky`);
  await client.setQuarantine({
    repo,
    test_case_id: counted.test_case_id,
    quarantine_setting: "NEVER_QUARANTINE",
    reason: "its failures are looked into",
  });
  await until(async () => {
    const { quarantined_tests: found } = await client.listQuarantinedTests(flaky);
    const names = found.map(({ name }) => name);
    return names.includes(forgivenFlake.name) && !names.includes(countedFlake.name) ? names : undefined;
  }, `"${forgivenFlake.name}" to be quarantined`);
  const { test } = await client.getTestDetails({
    repo,
    org_url_slug: repo.owner,
    test_id: counted.test_case_id,
  });
  return test.html_url;
}

async function until<T>(ask: () => Promise<T | undefined>, what: string): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain for ${what}`);
    await sleep(50);
  }
}
