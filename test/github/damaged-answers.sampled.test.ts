import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { AppClient } from "../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../src/github/github-code-host.ts";
import type { InstalledRepository } from "../../src/ports/code-host/code-host.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { sampleOf } from "../sampled.ts";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { client, requiredChecks } from "../sandbox/scene.ts";
import { GitHubProxy } from "../scenarios/github-proxy.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

let sandbox: Sandbox;
let proxy: GitHubProxy;
let codeHost: GitHubCodeHost;
let repo: InstalledRepository;
let owner: { id: number; login: string };
let head: { number: number; sha: string };

/** A protected repository with a pull request whose checks have reported, behind a proxy that can damage GitHub's answers. */
beforeAll(async () => {
  sandbox = await startSandbox();
  const alice = sandbox.createUser({ login: "alice", permission: "write" });
  await sandbox.createRepository({
    owner: "acme",
    name: "widgets",
    files: {
      "README.md": "# Widgets\n",
      "facts/base.json": "{}\n",
      ".github/trainyard.yml": "forks: deny\n",
    },
    protection: { requiredChecks },
    ci: { durationMs: [5, 15] },
  });
  owner = sandbox.createUser({ login: "olga" });
  sandbox.setMembership("acme", "olga", { role: "admin", state: "active" });
  head = await openPull(client(sandbox, alice.token), "feature", { a: "1" });
  await sandbox.settled();
});

afterAll(() => sandbox.close());

/** A proxy that damages nothing yet, and a client that remembers nothing. */
beforeEach(async () => {
  proxy = await GitHubProxy.start(sandbox.url);
  codeHost = newCodeHost();
  const name = { host: sandbox.host, owner: "acme", name: "widgets" };
  repo = { ...name, installationId: (await codeHost.findInstallation(name)) ?? 0 };
});

afterEach(() => proxy.close());

const required = requiredChecks.map(({ context, appId }) => ({ name: context, appId }));

const names = (checks: readonly { name: string }[]) => checks.map(({ name }) => name).sort();

/** Every reading that decisions depend on, and the request whose answer is damaged. */
const readings: readonly [string, string, RegExp, () => Promise<unknown>][] = [
  ["the branch's rules", "GET", /\/rules\/branches\//, () => codeHost.requiredChecks(repo, "main")],
  ["the branch's protection", "GET", /\/branches\/main$/, () => codeHost.requiredChecks(repo, "main")],
  ["the checks of a commit", "GET", /\/check-runs/, () => codeHost.readChecks(repo, head.sha, required)],
  [
    "the statuses of a commit",
    "GET",
    /\/status\?/,
    () => codeHost.readChecks(repo, head.sha, [{ name: "build", appId: null }]),
  ],
  [
    "the suites of a commit",
    "GET",
    /\/check-suites/,
    () => codeHost.readChecks(repo, head.sha, [...required, { name: "lint", appId: 1 }], "feature"),
  ],
  ["the branch's tip", "GET", /\/git\/ref\//, () => codeHost.branchTip(repo, "main")],
  ["a pull request", "POST", /\/graphql$/, () => codeHost.readPullRequest(repo, head.number)],
  ["the open pull requests", "GET", /\/pulls\?/, () => codeHost.listOpenPullRequests(repo, "main")],
  ["the repository's file", "GET", /\/contents\//, () => codeHost.readRepositoryFile(repo, "main")],
  ["the directories", "POST", /\/graphql$/, () => codeHost.readRepositoryFile(repo, "main")],
  ["the changed files", "GET", /\/files/, () => codeHost.changedPaths(repo, head.number)],
  ["a person's permission", "GET", /\/permission$/, () => codeHost.permissionOf(repo, "alice")],
  ["an owner", "GET", /\/memberships\//, () => codeHost.readOwnership(repo.installationId, "acme", owner)],
  [
    "an installation",
    "GET",
    /\/app\/installations\/\d+$/,
    () => codeHost.readOwnership(repo.installationId, "acme", owner),
  ],
  ["the comments", "GET", /\/issues\/comments/, () => codeHost.listComments(repo, 0)],
  ["the label events", "GET", /\/events/, () => codeHost.listLabelEvents(repo, head.number)],
  ["the labels", "GET", /\/labels/, () => codeHost.listLabels(repo, head.number)],
  ["the branches", "GET", /\/matching-refs\//, () => codeHost.listBranches(repo, "main")],
  [
    "the repository's file compared",
    "POST",
    /\/graphql$/,
    () => codeHost.isSameRepositoryFile(repo, ["main", head.sha]),
  ],
];

const allDamages: readonly [string, (body: string) => string, { breakOff?: boolean }][] = [
  ["breaks off", (body) => body.slice(0, body.length / 2), { breakOff: true }],
  ["is cut to a whole length", (body) => body.slice(0, body.length / 2), {}],
  ["is empty", () => "", {}],
  ["is another object", () => '{"hello":"world"}', {}],
  ["is null", () => "null", {}],
  ["is a proxy's page", () => "<html><body>Sign in</body></html>", {}],
];

const damages = sampleOf(allDamages, 2);

for (const [what, method, path, read] of readings)
  test(`a damaged reading of ${what} fails, and does not count as a smaller one`, async () => {
    for (const [, change, options] of damages) {
      proxy.rewrite(method, path, change, { ...options, keepEtag: true });
      await expect(read()).rejects.toMatchObject({ kind: "unavailable" });
    }
  });

for (const [what, method, path, read] of readings)
  test(`a damaged reading of ${what} is not cached`, async () => {
    for (const [, change, options] of damages) {
      codeHost = newCodeHost();
      proxy.rewrite(method, path, change, { ...options, keepEtag: true, times: 1 });
      await read().catch(() => null);
      const afterwards = await read();
      codeHost = newCodeHost();
      expect(afterwards).toEqual(await read());
    }
  });

test("repeated readings of unchanged checks are always complete", async () => {
  const read = async () => names((await codeHost.readChecks(repo, head.sha, required)).checks);
  const whole = await read();
  expect(whole).toEqual(["build", "test"]);
  for (let again = 0; again < 3; again++) expect(await read()).toEqual(whole);
});

const lost = `$1${"1".repeat(40)}`;

/** Answers that are well formed and wrong, so that the test commit cannot be built. */
const misleading: readonly [string, RegExp, (body: string) => string][] = [
  ["the base's tree", /\/git\/commits\//, (body) => body.replace(/("tree":\{"sha":")[0-9a-f]{40}/, lost)],
  ["the base's tip", /\/git\/ref\/heads/, (body) => body.replace(/("sha":")[0-9a-f]{40}/, lost)],
  ["the head's commits", /\/compare\//, (body) => body.replace(/("ahead_by":)1/, "$10")],
];

for (const [what, path, change] of misleading)
  test(`a wrong answer about ${what} is read again once a build fails because of it`, async () => {
    proxy.rewrite("GET", path, change, { keepEtag: true, times: 1 });
    const method = what === "the head's commits" ? "rebase" : "merge_commit";
    expect(await build(method).catch(({ kind }) => ({ kind }))).not.toMatchObject({ kind: "built" });
    expect(await build(method)).toMatchObject({ kind: "built" });
  });

test("a damaged access token is requested again", async () => {
  for (const [, change, options] of damages) {
    codeHost = newCodeHost();
    // A reading is tried twice.
    proxy.rewrite("POST", /access_tokens/, change, { ...options, times: 2 });
    await expect(codeHost.branchTip(repo, "main")).rejects.toMatchObject({ kind: "unavailable" });
    expect(await codeHost.branchTip(repo, "main")).toMatch(/^[0-9a-f]{40}$/);
  }
});

/** Builds the test commit of the pull request on the base, as far as its answers tell where that is. */
async function build(method: "rebase" | "merge_commit") {
  const parentSha = (await codeHost.branchTip(repo, "main")) ?? "";
  const step = { pr: head.number, headSha: head.sha, headRef: "feature", title: "", treeSha: null };
  const plan = { method, parentSha, steps: [step], branch: "tests/1", scratch: "main", mayExist: true };
  return codeHost.buildTestCommit(repo, plan);
}

function newCodeHost(): GitHubCodeHost {
  const { APP_ID, PRIVATE_KEY = "" } = sandbox.env;
  const credentials = { appId: Number(APP_ID), privateKey: PRIVATE_KEY };
  const app = new AppClient({ ...credentials, apiUrl: `http://${proxy.host}/api/v3` }, log);
  return new GitHubCodeHost(app, "scratch/");
}
