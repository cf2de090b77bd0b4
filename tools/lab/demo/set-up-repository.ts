import { join } from "node:path";
import type { CiSettings } from "../../sandbox/ci/ci-settings.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { shuffle } from "../../sandbox/seeded-draw.ts";
import { LocalRepository } from "../local-repository.ts";
import { createOctokit, openPullRequests, type Person } from "./authors.ts";
import { demoPullRequests, firstFiles, laterOnTheBase, pullRequestForUser } from "./scenario.ts";
import { testsJob } from "./test-job.ts";

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
  /** Is told each step. */
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
  // Whoever watches the demo signs in to the dashboard with one click.
  sandbox.signInAs("admin");
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

/** Every JSON text is also YAML. */
const settingsFile = (states: Plan["stateLabels"]): Record<string, string> =>
  states === undefined
    ? {}
    : { ".github/trainyard.yml": `${JSON.stringify({ labels: { states } }, null, 2)}\n` };
