import { readFileSync } from "node:fs";
import { expect } from "@jest/globals";
import { stringify } from "yaml";
import { readAppManifest } from "../../../src/cli/app-manifest.ts";
import { AppClient } from "../../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../../src/github/github-code-host.ts";
import { allExaminations, type Diagnosis, Doctor, type Patient } from "../../../src/service/doctor/doctor.ts";
import { createOctokit } from "../../../tools/lab/demo/authors.ts";
import type { WorkflowOptions } from "../../../tools/sandbox/ci/workflow.ts";
import type { RepositoryOptions } from "../../../tools/sandbox/create-repository.ts";
import type { Sandbox, SandboxOptions } from "../../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../../tools/sandbox/start-sandbox.ts";
import type { RuleOptions, RulesetOptions } from "../../../tools/sandbox/world/rules/ruleset.ts";

export const at = { owner: "acme", repo: "widgets" };
const hook = "http://127.0.0.1:9/api/github/webhooks";

/** A workflow that runs on main, on test branches, and on pull requests. */
export const ci: WorkflowOptions = {
  name: "CI",
  on: { push: { branches: ["main", "trainyard-merge/**"] }, pull_request: {} },
  jobs: ["build", "test"],
};

export interface Case {
  readonly sandbox?: SandboxOptions;
  readonly workflows?: readonly WorkflowOptions[];
  /** Files besides those of the workflows. */
  readonly files?: Readonly<Record<string, string>>;
  /** Rulesets besides the one that requires build and test. Null = no ruleset at all. */
  readonly rulesets?: ((slug: string) => readonly RulesetOptions[]) | null;
  readonly repository?: Partial<RepositoryOptions>;
  readonly patient?: Partial<Patient>;
  readonly arrange?: (
    sandbox: Sandbox,
    author: ReturnType<typeof createOctokit>,
  ) => Promise<unknown> | unknown;
  /** How far the service's clock is ahead, in milliseconds. */
  readonly clockAheadMs?: number;
  readonly appId?: number;
}

/** Returns doctor's diagnosis of a local GitHub that has no faults except those of the case. */
export async function examine(one: Case): Promise<Diagnosis> {
  const { webhookUrl = hook, ...options } = one.sandbox ?? {};
  const sandbox = await startSandbox(options);
  try {
    const workflows = one.workflows ?? [ci];
    const author = sandbox.createUser({ login: "alice", permission: "admin" });
    const { app } = sandbox;
    const rulesets = one.rulesets === null ? [] : [requiring(app.slug), ...(one.rulesets?.(app.slug) ?? [])];
    await sandbox.createRepository({
      owner: at.owner,
      name: at.repo,
      files: { "README.md": "# Widgets\n", "facts/base.json": "{}\n", ...filesOf(workflows), ...one.files },
      ci: { workflows, durationMs: [1, 2] },
      rulesets,
      ...one.repository,
    });
    // Earlier webhooks had no address, so they do not count as failures.
    await sandbox.settled();
    sandbox.setWebhookUrl(webhookUrl);
    await one.arrange?.(sandbox, createOctokit(sandbox.url, author.token));
    const credentials = { appId: one.appId ?? app.id, privateKey: app.privateKey };
    const client = new AppClient({ ...credentials, apiUrl: `${sandbox.url}/api/v3` }, silent);
    const clock = { now: () => Date.now() + (one.clockAheadMs ?? 0) };
    const reader = new GitHubCodeHost(client, "trainyard-temp/");
    const diagnosis = await new Doctor(reader, clock, silent).examine(
      {
        repo: { host: sandbox.host, owner: at.owner, name: at.repo },
        branch: "main",
        mergeMethod: "squash",
        requiredStatuses: null,
        submitByAutoMerge: false,
        directMergeMode: "off",
        ownBranches: {
          testPrefix: "trainyard-merge/",
          test: "trainyard-merge/pr-1/00000000-0000-4000-8000-000000000000",
          scratch: "trainyard-temp/main",
        },
        wanted: wanted(),
        webhookUrl: hook,
        databaseDamage: null,
        olderInstance: null,
        ...one.patient,
      },
      allExaminations,
    );
    expect(sandbox.violations).toEqual([]);
    return diagnosis;
  } finally {
    await sandbox.close();
  }
}

/** A ruleset that requires the checks of CI. The App is exempt. */
export const requiring = (slug: string, ...contexts: string[]): RulesetOptions => ({
  name: "tests",
  rules: [required(...(contexts.length > 0 ? contexts : ["build", "test"]))],
  bypass: [{ actor: slug, mode: "exempt" }],
});

export const required = (...contexts: string[]): RuleOptions => ({
  type: "required_status_checks",
  // CI is GitHub Actions. Other checks count from any source.
  required_status_checks: contexts.map((context) =>
    ["build", "test"].includes(context) ? { context, integration_id: 15_368 } : { context },
  ),
});

function wanted(): Patient["wanted"] {
  const read = readAppManifest();
  if (!("manifest" in read)) throw new Error(read.problem);
  return { permissions: read.manifest.default_permissions, events: read.manifest.default_events };
}

/** The text of `app.yml` with something replaced. */
export const changedManifest = (from: string | RegExp, to: string): string =>
  readFileSync("app.yml", "utf8").replace(from, to);

export const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The workflow files that describe the sandbox's CI. */
function filesOf(workflows: readonly WorkflowOptions[]): Record<string, string> {
  return Object.fromEntries(
    workflows.map(({ name, path, on, concurrency, jobs }) => [
      path ?? `.github/workflows/${name.toLowerCase()}.yml`,
      stringify({
        name,
        on: on === undefined ? ["push", "pull_request"] : triggersOf(on),
        ...(concurrency
          ? {
              concurrency: {
                group: concurrency.group,
                "cancel-in-progress": concurrency.cancelInProgress ?? false,
              },
            }
          : {}),
        jobs: Object.fromEntries(
          jobs.map((job) => [
            typeof job === "string" ? job : job.name,
            { "runs-on": "ubuntu-latest", steps: [] },
          ]),
        ),
      }),
    ]),
  );
}

function triggersOf(on: NonNullable<WorkflowOptions["on"]>) {
  return Object.fromEntries(
    Object.entries(on).map(([event, { branches, branchesIgnore, paths, pathsIgnore }]) => [
      event,
      {
        ...(branches ? { branches } : {}),
        ...(branchesIgnore ? { "branches-ignore": branchesIgnore } : {}),
        ...(paths ? { paths } : {}),
        ...(pathsIgnore ? { "paths-ignore": pathsIgnore } : {}),
      },
    ]),
  );
}
