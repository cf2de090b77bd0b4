import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { AppClient } from "../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../src/github/github-code-host.ts";
import type { InstalledRepository } from "../../src/ports/code-host/code-host.ts";
import type { CiSettings } from "../../tools/sandbox/ci/ci-settings.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { branchWith } from "../sandbox/commit-on-branch.ts";
import { CI_APP_ID, client, type Scene, target } from "../sandbox/scene.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const branch = "trainyard-merge/pr-1/a";

let sandbox: Sandbox;
let codeHost: GitHubCodeHost;
let repo: InstalledRepository;
let asAlice: Scene["asAlice"];

beforeEach(async () => {
  sandbox = await startSandbox();
  const alice = sandbox.createUser({ login: "alice", permission: "write" });
  await sandbox.createRepository({ owner: "acme", name: "widgets", files: { "README.md": "# Widgets\n" } });
  asAlice = client(sandbox, alice.token);
  const { APP_ID, PRIVATE_KEY = "" } = sandbox.env;
  const credentials = { appId: Number(APP_ID), privateKey: PRIVATE_KEY };
  codeHost = new GitHubCodeHost(
    new AppClient({ ...credentials, apiUrl: `${sandbox.url}/api/v3` }, log),
    "s/",
  );
  const name = { host: sandbox.host, owner: "acme", name: "widgets" };
  repo = { ...name, installationId: (await codeHost.findInstallation(name)) ?? 0 };
});

afterEach(() => sandbox.close());

const runsCi = (ci: Partial<CiSettings>) => sandbox.setCi("acme/widgets", { durationMs: [10, 20], ...ci });

/** Reads the required checks for the branch, each as its name and conclusion. */
async function read(sha: string, names: readonly string[], appId: number | null = CI_APP_ID) {
  const required = names.map((name) => ({ name, appId }));
  const { checks: facts } = await codeHost.readChecks(repo, sha, required, branch);
  return facts.map(({ name, conclusion }) => `${name} ${conclusion}`).sort();
}

/** Occupies a concurrency group with a run that does not end, so that the branch's run is cancelled while it is pending. */
async function cancelPending(workflows: CiSettings["workflows"]): Promise<string> {
  runsCi({ durationMs: [60_000, 60_000], workflows });
  await branchWith(asAlice, "other", { a: "1" });
  const sha = await branchWith(asAlice, branch, { b: "1" });
  await branchWith(asAlice, "another", { c: "1" });
  return sha;
}

const grouped = { name: "CI", on: { push: {} }, concurrency: { group: "ci" }, jobs: ["build"] };

test("checks of the same commit on another branch are ignored", async () => {
  runsCi({ branches: [branch] });
  const sha = await branchWith(asAlice, branch, { a: "1" });
  await sandbox.settled();
  runsCi({ branches: ["copy"], lastStep: async () => "failure" });
  await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/copy", sha });
  await sandbox.settled();
  expect(await read(sha, ["build", "test"])).toEqual(["build success", "test success"]);
});

test("checks that ran only on another branch are missing", async () => {
  runsCi({ branches: ["copy"], lastStep: async () => "failure" });
  const sha = await branchWith(asAlice, "copy", { a: "1" });
  await asAlice.rest.git.createRef({ ...target, ref: `refs/heads/${branch}`, sha });
  await sandbox.settled();
  expect(await read(sha, ["build", "test"])).toEqual([]);
});

test("another App's check counts although its suite names the branch that had the commit first", async () => {
  const on = { push: { branches: [branch] } };
  const coverage = { app: "Covered", reports: "check_run", name: "coverage", afterMs: 5, on } as const;
  runsCi({ workflows: [], reporters: [{ ...coverage, conclusion: "failure" }] });
  const sha = await branchWith(asAlice, "copy", { a: "1" });
  await asAlice.rest.git.createRef({ ...target, ref: `refs/heads/${branch}`, sha });
  await sandbox.settled();
  expect(await read(sha, ["coverage"], null)).toEqual(["coverage failure"]);
});

test("check runs and statuses tell when they ended", async () => {
  const on = { push: { branches: [branch] } };
  const coverage = { app: "Covered", reports: "status", name: "coverage", afterMs: 5, on } as const;
  runsCi({ branches: [branch], reporters: [{ ...coverage, conclusion: "success" }] });
  const before = Date.now();
  const sha = await branchWith(asAlice, branch, { a: "1" });
  await sandbox.settled();
  const required = ["build", "coverage"].map((name) => ({ name, appId: null }));
  const { checks } = await codeHost.readChecks(repo, sha, required, branch);
  expect(checks.map(({ kind }) => kind).sort()).toEqual(["check_run", "status"]);
  for (const { completedAt } of checks) {
    // GitHub's times are in whole seconds.
    expect(completedAt).toBeGreaterThan(before - 1_000);
    expect(completedAt).toBeLessThanOrEqual(Date.now());
  }
});

test("a check counts as cancelled when its run was cancelled before its jobs reported", async () => {
  const sha = await cancelPending([grouped]);
  expect(await read(sha, ["build"])).toEqual(["build cancelled"]);
  expect(await read(sha, ["build"], null)).toEqual(["build cancelled"]);
});

test("a missing check does not count as cancelled while another workflow of the branch is running", async () => {
  const sha = await cancelPending([grouped, { name: "Slow", on: { push: {} }, jobs: ["slow"] }]);
  expect(await read(sha, ["build"])).toEqual([]);
});
