import { join } from "node:path";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { createOctokit, type Person } from "../demo/authors.ts";
import { LocalRepository } from "../local-repository.ts";
import { type Configuration, checks, ciOf, requiredChecksOf, rulesetsOf } from "./configuration.ts";
import { firstFiles, laterFacts, type TrialPullRequest } from "./pull-requests.ts";

export const repository = { owner: "acme", name: "widgets" };
export const fullName = "acme/widgets";
const at = { owner: "acme", repo: "widgets" };

export interface OpenedPullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly plan: TrialPullRequest;
}

export interface TrialWorld {
  readonly alice: Person;
  readonly bob: Person;
  readonly admin: Person;
  readonly opened: readonly OpenedPullRequest[];
  /** The tip of main when the queue starts. */
  readonly firstSha: string;
}

/** CI is fast during the setup, because nothing observes it before the queue exists. */
const hastyMs = [5, 20] as const;

/** Creates the configuration's repository, with all pull requests opened, reviewed and green. */
export async function setUpTrial(
  sandbox: Sandbox,
  directory: string,
  configuration: Configuration,
  plans: readonly TrialPullRequest[],
): Promise<TrialWorld> {
  const users = {
    alice: sandbox.createUser({ login: "alice", permission: "write" }),
    bob: sandbox.createUser({ login: "bob", permission: "write" }),
    carol: sandbox.createUser({ login: "carol", permission: "read" }),
    admin: sandbox.createUser({ login: "admin", permission: "admin" }),
  };
  const ours = (context: string) =>
    checks.some((name) => name === context) ? { context, appId: sandbox.ciAppId } : { context };
  const { gitUrl } = await sandbox.createRepository({
    ...repository,
    files: firstFiles(plans.length),
    protection: {
      requiredChecks: requiredChecksOf(configuration).map(ours),
      enforceAdmins: false,
      ...(configuration.reviews ? { requiredReviews: 1, bypass: [sandbox.app.slug] } : {}),
    },
    ci: { ...ciOf(configuration), durationMs: hastyMs },
  });
  const person = async (user: { login: string; token: string }, url = gitUrl): Promise<Person> => ({
    login: user.login,
    octokit: createOctokit(sandbox.url, user.token),
    local: await LocalRepository.clone(url, join(directory, user.login), user),
  });
  const [alice, bob, admin] = [await person(users.alice), await person(users.bob), await person(users.admin)];
  const fork = { owner: "carol", name: repository.name, forkOf: fullName, installed: false };
  const carol = await person(users.carol, (await sandbox.createRepository(fork)).gitUrl);
  const opened = [
    ...(await open(
      alice,
      plans.filter(({ fromFork }) => !fromFork),
      "",
    )),
    ...(await open(
      carol,
      plans.filter(({ fromFork }) => fromFork),
      "carol:",
    )),
  ].sort((one, other) => plans.indexOf(one.plan) - plans.indexOf(other.plan));
  if (configuration.reviews) await review(bob, opened);
  await admin.local.pushCommit("main", laterFacts(plans), "Forbid what is out of date");
  await sandbox.settled();
  const { data } = await admin.octokit.rest.repos.getBranch({ ...at, branch: "main" });
  sandbox.setCi(fullName, ciOf(configuration));
  sandbox.setRulesets(fullName, rulesetsOf(configuration, sandbox.app.slug));
  return { alice, bob, admin, opened, firstSha: data.commit.sha };
}

async function open(
  { local, octokit }: Person,
  plans: readonly TrialPullRequest[],
  prefix: string,
): Promise<OpenedPullRequest[]> {
  for (const plan of plans) await local.branch(plan.name, "origin/main", plan.files, plan.title);
  if (plans.length > 0) await local.push(...plans.map(({ name }) => name));
  const opened: OpenedPullRequest[] = [];
  for (const plan of plans) {
    const { title, name } = plan;
    const { data } = await octokit.rest.pulls.create({
      ...at,
      base: "main",
      head: `${prefix}${name}`,
      title,
    });
    opened.push({ number: data.number, headSha: data.head.sha, plan });
  }
  return opened;
}

async function review({ octokit }: Person, opened: readonly OpenedPullRequest[]): Promise<void> {
  for (const { number: pull_number, plan } of opened) {
    const event = plan.changesRequested ? "REQUEST_CHANGES" : "APPROVE";
    if (plan.approved)
      await octokit.rest.pulls.createReview({ ...at, pull_number, event, body: "As I see it." });
  }
}
