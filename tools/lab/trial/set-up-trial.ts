import { join } from "node:path";
import type { CiSettings } from "../../sandbox/ci/ci-settings.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { draw } from "../../sandbox/seeded-draw.ts";
import type { RulesetOptions } from "../../sandbox/world/rules/ruleset.ts";
import { createOctokit, type Person } from "../demo/authors.ts";
import { LocalRepository } from "../local-repository.ts";
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

/** A repository with its CI and queue, similar to that of a real team. */
export interface Configuration {
  readonly seed: number;
  readonly mergeMethod: "merge_commit" | "squash" | "rebase";
  readonly mode: "single" | "parallel";
  readonly policy: "fixed" | "adaptive";
  readonly concurrency: number;
  /** 1 = no batches. */
  readonly batchSize: number;
  readonly ci: CiStyle;
  /** Whether a pull request needs an approval. */
  readonly reviews: boolean;
  readonly rules: readonly RuleStyle[];
}

const ciStyles = ["tame", "all_branches", "cancelling", "few_runners", "reporter"] as const;
/**
 * CI behaviour:
 * - `tame`: runs on test branches only
 * - `all_branches`: runs on pushes to every branch, and on pull requests
 * - `cancelling`: a newer run of a branch cancels the older one
 * - `few_runners`: jobs wait for each other
 * - `reporter`: another App reports one of the required checks as a commit status
 */
type CiStyle = (typeof ciStyles)[number];

const ruleStyles = ["restricted_updates", "messages", "paths"] as const;
/**
 * Rules on main:
 * - `restricted_updates`: only the App may update main
 * - `messages`: no commit message may contain `WIP`
 * - `paths`: nothing below `generated/` may change
 */
type RuleStyle = (typeof ruleStyles)[number];

/** Returns the `index`th configuration of a trial. Most settings use each of their values in turn. */
export function drawConfiguration(seed: number, index: number): Configuration {
  const pick = <T>(name: string, values: readonly T[]): T => {
    const place = Math.floor(draw(seed, "configuration", name) * values.length) + index;
    return values[place % values.length] as T;
  };
  const chance = (name: string) => draw(seed, "configuration", name, index) < 0.5;
  return {
    seed: seed * 1_000 + index,
    mergeMethod: pick("method", ["merge_commit", "squash", "rebase"] as const),
    mode: draw(seed, "mode", index) < 0.6 ? "single" : "parallel",
    policy: draw(seed, "policy", index) < 0.5 ? "fixed" : "adaptive",
    concurrency: pick("concurrency", [4, 2, 6]),
    batchSize: pick("batch", [1, 3, 1, 8, 2, 5]),
    ci: pick("ci", ciStyles),
    reviews: chance("reviews"),
    rules: ruleStyles.filter((style) => chance(style)),
  };
}

export const checks = ["build", "test"] as const;
const coverage = "coverage";

export function describeConfiguration(configuration: Configuration): string {
  const { mergeMethod, mode, policy, concurrency, batchSize, ci, reviews, rules } = configuration;
  const batch = batchSize === 1 ? [] : [`batches of ${batchSize}`];
  const required = [...(reviews ? ["reviews"] : []), ...rules];
  return [mergeMethod, mode, policy, `${concurrency} at once`, ...batch, `CI ${ci}`, ...required].join(", ");
}

const ciDurationMs = [60, 240] as const;

/** Returns the settings of the sandbox's CI for this style. */
export function ciOf({ ci }: Configuration, lastStep: CiSettings["lastStep"] = null): Partial<CiSettings> {
  const usual = { durationMs: ciDurationMs, lastStep };
  const everywhere = { name: "CI", on: { push: {}, pull_request: {} }, jobs: [...checks] };
  switch (ci) {
    case "tame":
    case "few_runners":
      return { ...usual, checks: [...checks] };
    case "all_branches":
      return { ...usual, workflows: [everywhere] };
    case "cancelling": {
      const concurrency = { group: `ci-$\{{ github.ref }}`, cancelInProgress: true };
      return { ...usual, workflows: [{ ...everywhere, concurrency }] };
    }
    case "reporter":
      return {
        ...usual,
        checks: [...checks],
        reporters: [{ app: "Coverage", reports: "status", name: coverage, on: everywhere.on, afterMs: 100 }],
      };
  }
}

/** The checks that main requires, in the order in which GitHub lists them. */
export const requiredChecksOf = ({ ci }: Configuration): string[] =>
  ci === "reporter" ? [...checks, coverage] : [...checks];

const rules: Readonly<Record<RuleStyle, RulesetOptions["rules"][number]>> = {
  restricted_updates: "update",
  messages: { type: "commit_message_pattern", operator: "contains", pattern: "WIP", negate: true },
  paths: { type: "file_path_restriction", restricted_file_paths: ["generated/**"] },
};

/** @param app the slug of the App, the only actor that may update main where updates are restricted */
export function rulesetsOf(configuration: Configuration, app: string): RulesetOptions[] {
  return configuration.rules.map((style) => ({
    name: style,
    rules: [rules[style]],
    ...(style === "restricted_updates" ? { bypass: [{ actor: app, mode: "exempt" }] } : {}),
  }));
}
