import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { Command } from "commander";
import { allClaims } from "../../tools/live/all-claims.ts";
import { marker } from "../../tools/live/check-consent.ts";
import type { Claim } from "../../tools/live/claim.ts";
import { defineLive } from "../../tools/live/live.ts";
import { type LiveReport, runLive } from "../../tools/live/run-live.ts";
import { watchingWorkflow } from "../../tools/live/workflow-runs.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { manifestWith } from "../app-manifest.ts";
import { client } from "../sandbox/scene.ts";
import { GitHubProxy } from "../scenarios/github-proxy.ts";

const at = { owner: "acme", repo: "playground" };
const fullName = `${at.owner}/${at.repo}`;
const withStatuses = manifestWith("statuses", "write");
const withEverything = manifestWith("administration", "write", withStatuses);
const { signal: never } = new AbortController();

let sandbox: Sandbox;
let asAdmin: ReturnType<typeof client>;

beforeAll(async () => {
  sandbox = await startSandbox({ appManifest: withEverything });
  asAdmin = client(sandbox, sandbox.createUser({ login: "admin", permission: "admin" }).token);
  const { name, branches, paths } = watchingWorkflow;
  // Workflows are settings in the sandbox, but files on GitHub.
  const workflow = { name, on: { push: { branches: [branches], paths: [paths] } }, jobs: ["nothing"] };
  await sandbox.createRepository({
    owner: at.owner,
    name: at.repo,
    files: { "README.md": "# Playground\n", [marker]: "" },
    ci: { workflows: [workflow], durationMs: [5, 15] },
  });
});

afterAll(async () => {
  await sandbox.settled();
  const { violations } = sandbox;
  await sandbox.close();
  expect(violations).toEqual([]);
});

const named = (...ids: string[]) => allClaims.filter(({ id }) => ids.includes(id));

function run(claims: readonly Claim[], options: { pauseMs?: number; stop?: AbortSignal } = {}) {
  const { id: appId, privateKey } = sandbox.app;
  return runLive({
    credentials: { appId, privateKey, apiUrl: `${sandbox.url}/api/v3` },
    repository: at,
    claims,
    run: "test",
    pauseMs: options.pauseMs ?? 0,
    patienceMs: 2_000,
    stop: options.stop ?? never,
    tell: () => {},
  });
}

/** Runs the command. Returns its exit code and its output. */
async function command(apiUrl: string, ...args: string[]) {
  const out = jest.spyOn(console, "log").mockImplementation(() => {});
  const error = jest.spyOn(console, "error").mockImplementation(() => {});
  try {
    const quick = ["--pause", "0", "--patience", "2"];
    const live = new Command();
    defineLive(live, () => never, sandbox.env);
    await live.parseAsync(["--api-url", `${apiUrl}/api/v3`, ...quick, ...args], { from: "user" });
    const code = Number(process.exitCode);
    const printed = ({ mock }: typeof out) => mock.calls.map(([line]) => String(line)).join("\n");
    return { code, out: printed(out), error: printed(error) };
  } finally {
    process.exitCode = undefined;
    out.mockRestore();
    error.mockRestore();
  }
}

const outcomes = ({ claims }: LiveReport) =>
  Object.fromEntries(claims.map(({ claim, outcome }) => [claim.id, outcome]));

async function leftovers() {
  const { data: refs } = await asAdmin.rest.git.listMatchingRefs({ ...at, ref: "heads/" });
  const { data: pulls } = await asAdmin.rest.pulls.list({ ...at });
  const { data: comments } = await asAdmin.rest.issues.listCommentsForRepo({ ...at });
  return { refs: refs.map(({ ref }) => ref), pulls: pulls.length, comments: comments.length };
}

const nothing = { refs: ["refs/heads/main"], pulls: 0, comments: 0 };

test("every claim holds against the sandbox, and everything is deleted afterwards", async () => {
  expect(new Set(allClaims.map(({ id }) => id)).size).toBe(allClaims.length);
  const report = await run(allClaims);
  const expected = allClaims.map(({ id, isQuestion, expected: observed }) => [
    id,
    { kind: isQuestion ? "answered" : "same", observed },
  ]);
  expect(outcomes(report)).toEqual(Object.fromEntries(expected));
  expect(report.left).toEqual([]);
  expect(await leftovers()).toEqual(nothing);
  const created = sandbox.requests.countByOperation()["repos/create-repo-ruleset"];
  expect(sandbox.requests.countByOperation()["repos/delete-repo-ruleset"]).toBe(created);
});

test("a difference is shown beside the sandbox's behaviour, and the exit code is 1", async () => {
  const proxy = await GitHubProxy.start(sandbox.url);
  proxy.rewrite("PUT", /\/pulls\/\d+\/merge$/, (body) => body.replace("Head branch", "The head"));
  const asked = ["--repository", fullName, "--only", "merges/wrong-head"];
  const { code, out } = await command(`http://${proxy.host}`, ...asked);
  expect(out).toMatch(/^DIFFERS +merges\/wrong-head +answer: 409 Head/m);
  expect(out).toMatch(/GitHub says: .*The head was modified/);
  expect(out).toMatch(/the sandbox says: .*Head branch was modified/);
  expect(code).toBe(1);
  const { out: json } = await command(`http://${proxy.host}`, ...asked, "--json");
  expect(JSON.parse(json)).toMatchObject({
    repository: fullName,
    counts: { same: 0, differs: 1, answered: 0, not_asked: 0 },
    claims: [{ id: "merges/wrong-head", kind: "differs" }],
    notDeleted: [],
  });
  await proxy.close();
  expect(await leftovers()).toEqual(nothing);
});

test("a different answer to a question does not count as a difference", async () => {
  sandbox.setCi(fullName, {
    workflows: [{ name: "all", on: { push: {} }, jobs: ["nothing"] }],
    durationMs: [5, 15],
  });
  const { code, out } = await command(sandbox.url, "--repository", fullName, "--only", "path-filters");
  expect(out).toMatch(/GitHub says: +starts a run\n +the sandbox says: starts none/);
  expect(code).toBe(0);
});

test("a repository without the marker file or the App is rejected, and nothing is created", async () => {
  await sandbox.createRepository({
    owner: "acme",
    name: "product",
    files: { "README.md": "# Product\n" },
    ci: null,
  });
  const refused = await command(sandbox.url, "--repository", "acme/product");
  expect(refused.code).toBe(2);
  expect(refused.error).toMatch(
    /^MARKER_MISSING: acme\/product has no file \.trainyard-live on main\. Commit/,
  );
  const unknown = await command(sandbox.url, "--repository", "acme/absent", "--json");
  expect(JSON.parse(unknown.out)).toMatchObject({ refused: { code: "APP_NOT_INSTALLED" } });
  expect((await command(sandbox.url, "--repository", "acme")).code).toBe(2);
  expect((await command(sandbox.url, "--repository", fullName, "--only", "no-such-claim")).code).toBe(2);
  const { data: refs } = await asAdmin.rest.git.listMatchingRefs({
    owner: "acme",
    repo: "product",
    ref: "heads/",
  });
  expect(refs).toHaveLength(1);
});

test("a claim whose permission the App lacks is not checked", async () => {
  sandbox.updateApp(withStatuses);
  const report = await run(named("rules/update", "refs/exists"));
  expect(outcomes(report)).toMatchObject({
    "rules/update": { kind: "not_asked", why: "needs administration: write" },
    "refs/exists": { kind: "same" },
  });
  sandbox.updateApp(withEverything);
});

test("after a stop, no further claim is checked, and everything that was created is deleted", async () => {
  const stop = new AbortController();
  const [first] = named("comments/edited");
  if (!first) throw new Error("there is no such claim");
  const stopping: Claim = {
    ...first,
    observe: async (scene) => {
      await first.observe(scene);
      stop.abort("SIGINT");
      return first.observe(scene);
    },
  };
  const report = await run([stopping, ...named("refs/exists")], { stop: stop.signal });
  const stopped = { kind: "not_asked", why: "stopped" };
  expect(outcomes(report)).toEqual({ "comments/edited": stopped, "refs/exists": stopped });
  expect(report.pullRequests).toHaveLength(1);
  expect(await leftovers()).toEqual(nothing);
});

test("a branch that cannot be deleted is reported with the reason", async () => {
  sandbox.setRulesets(fullName, [{ include: ["~ALL"], rules: ["deletion"] }]);
  const report = await run(named("branch-merges/nothing"));
  expect(report.left).toEqual([
    "branch trainyard-live/test/1/base: Repository rule violations found Cannot delete this branch",
  ]);
  sandbox.setRulesets(fullName, []);
  await asAdmin.rest.git.deleteRef({ ...at, ref: "heads/trainyard-live/test/1/base" });
});

test("changes are separated by a pause, and nothing is sent while GitHub limits calls", async () => {
  const before = sandbox.requests.entries.length;
  sandbox.faults.next({
    operation: "git/create-tree",
    kind: "rate_limited",
    variant: "403",
    retryAfterSeconds: 1,
  });
  const report = await run(named("refs/not-fast-forward"), { pauseMs: 40 });
  expect(outcomes(report)).toMatchObject({ "refs/not-fast-forward": { kind: "same" } });
  const sent = sandbox.requests.entries.slice(before);
  const limited = sent.findIndex(({ status }) => status === 403);
  const time = (index: number) => sent[index]?.at.getTime() ?? Number.NaN;
  expect(time(limited + 1) - time(limited)).toBeGreaterThanOrEqual(950);
  const changes = sent.filter(({ method, path }) => method !== "GET" && !path.includes("/access_tokens"));
  const pauses = changes
    .slice(1)
    .map(({ at: then }, index) => then.getTime() - (changes[index]?.at.getTime() ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(35);
});
